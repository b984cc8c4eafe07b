/** The image before it is built: what it is made of, who it runs as, and the words it takes. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { read } from '../docs/pages.ts'
import { runWell } from '../support/run-to-end.ts'

const lines = read('deploy/Dockerfile').replaceAll('\\\n', '').split('\n')
const entrypoint = 'deploy/image/sluice.sh'

/** The arguments of each line of an instruction. */
function instructions(name: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1))
}

test('its base is a version, whose digest only a release names', () => {
  expect(instructions('ARG')[0]).toMatch(/^NODE_IMAGE=node:24-[a-z-]+$/)
  expect(new Set(instructions('FROM').map((from) => from.split(' ')[0]))).toEqual(
    new Set(['${NODE_IMAGE}'])
  )
})

test('it is not root, by number, and asks for its health', () => {
  expect(instructions('USER')).toEqual(['1000:1000'])
  const [health = ''] = instructions('HEALTHCHECK')
  expect(health).toContain('CMD ["node", "/app/deploy/image/is-up.mjs", "/livez"]')
})

test('its management port is open to probes from outside of the container', () => {
  expect(instructions('ENV').join(' ')).toContain('MANAGEMENT_HOST=0.0.0.0')
})

test('what it copies is all that is sent to the builder', () => {
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
  // Beside the shell there is only a node that prints what it was given.
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
  const args = words.split(' ').filter((word) => word !== '')
  const output = await runWell('/bin/sh', [entrypoint, ...args], { env: { PATH: folder } })
  expect(output.trim()).toBe(`--disable-warning=TimeoutNegativeWarning ${expected}`)
  const [program = ''] = expected.split(' ')
  expect(existsSync(program.replace('/app/', ''))).toBe(true)
})

test('what is started can be', () => {
  expect(statSync(entrypoint).mode & 0o111).toBe(0o111)
})
