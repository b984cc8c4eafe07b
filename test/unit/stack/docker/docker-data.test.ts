/** Tests the volume names and the password of Docker mode. */
import { afterAll, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepPassword, labelsOf, volumeOf } from '../../../../stack/docker/docker-data.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-docker-data-'))

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('uses different volumes and labels for two clones on one machine', () => {
  expect(volumeOf('/a/.sluice', 'kafka')).toBe(volumeOf('/a/../a/.sluice', 'kafka'))
  expect(volumeOf('/a/.sluice', 'kafka')).not.toBe(volumeOf('/b/.sluice', 'kafka'))
  expect(labelsOf('/a/.sluice')).not.toEqual(labelsOf('/b/.sluice'))
})

test('returns a valid volume name for Docker', () => {
  expect(volumeOf('/with space/.sluice', 'postgres')).toMatch(/^[a-z0-9][a-z0-9_.-]+$/)
})

test('creates the password once, readable only by its owner', () => {
  const password = keepPassword(folder)
  expect(password).toMatch(/^[\w-]{24}$/)
  expect(keepPassword(folder)).toBe(password)
  expect(statSync(join(folder, 'docker', 'postgres-password')).mode & 0o777).toBe(0o600)
})
