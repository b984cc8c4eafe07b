/** Tests the container image without building it: its contents, its user and its commands. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { read } from '../docs/pages.ts'
import { runWell } from '../support/run-to-end.ts'

const lines = read('deploy/Dockerfile').replaceAll('\\\n', '').split('\n')
const entrypoint = 'deploy/image/sluice.sh'

/** Returns the arguments of every Dockerfile line with the given instruction. */
function instructions(name: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1))
}

test('uses a base image by version, which a release pins by digest', () => {
  expect(instructions('ARG')[0]).toMatch(/^NODE_IMAGE=node:24-[a-z-]+$/)
  expect(new Set(instructions('FROM').map((from) => from.split(' ')[0]))).toEqual(
    new Set(['${NODE_IMAGE}'])
  )
})

test('runs as a numeric non-root user and has a health check', () => {
  expect(instructions('USER')).toEqual(['1000:1000'])
  const [health = ''] = instructions('HEALTHCHECK')
  expect(health).toContain('CMD ["node", "/app/deploy/image/is-up.mjs", "/livez"]')
})

test('opens its management port to probes from outside the container', () => {
  expect(instructions('ENV').join(' ')).toContain('MANAGEMENT_HOST=0.0.0.0')
})

test('sends exactly the files to the builder that it copies', () => {
  const copied = instructions('COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(' ').slice(0, -1))
    .map((path) => path.replace(/(?<=^deploy\/image)\/.*/, ''))
  const [everything, ...sent] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(everything).toBe('*')
  expect(sent.map((line) => line.slice(1)).toSorted()).toEqual([...new Set(copied)].toSorted())
  for (const path of copied) expect([path, existsSync(path)]).toEqual([path, true])
})

const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['gateway', '/app/gateway/main.ts'],
  ['gateway --check-config', '/app/gateway/main.ts --check-config'],
  ['storage', '/app/consumers/main.ts storage'],
  ['evaluation --help', '/app/consumers/main.ts evaluation --help'],
  ['keys list --json', '/app/cli/sluice.ts keys list --json'],
  ['', '/app/cli/sluice.ts']
])('"%s" runs %s', async (words, expected) => {
  // Fake `node` that prints its arguments.
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
  const args = words.split(' ').filter((word) => word !== '')
  const output = await runWell('/bin/sh', [entrypoint, ...args], { env: { PATH: folder } })
  expect(output.trim()).toBe(`--disable-warning=TimeoutNegativeWarning ${expected}`)
  const [program = ''] = expected.split(' ')
  expect(existsSync(program.replace('/app/', ''))).toBe(true)
})

test('the entry point is executable', () => {
  expect(statSync(entrypoint).mode & 0o111).toBe(0o111)
})
