/** Names and the password of what Docker mode keeps. */
import { afterAll, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepPassword, labelsOf, volumeOf } from '../../../../stack/docker/docker-data.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-docker-data-'))

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('two clones of one machine share neither volumes nor labels', () => {
  expect(volumeOf('/a/.sluice', 'kafka')).toBe(volumeOf('/a/../a/.sluice', 'kafka'))
  expect(volumeOf('/a/.sluice', 'kafka')).not.toBe(volumeOf('/b/.sluice', 'kafka'))
  expect(labelsOf('/a/.sluice')).not.toEqual(labelsOf('/b/.sluice'))
})

test('a volume has a name that Docker takes', () => {
  expect(volumeOf('/with space/.sluice', 'postgres')).toMatch(/^[a-z0-9][a-z0-9_.-]+$/)
})

test('the password is made once and can be read by its owner alone', () => {
  const password = keepPassword(folder)
  expect(password).toMatch(/^[\w-]{24}$/)
  expect(keepPassword(folder)).toBe(password)
  expect(statSync(join(folder, 'docker', 'postgres-password')).mode & 0o777).toBe(0o600)
})
