/** endWhenTold: signals end a program, unless it stops by itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'

const file = pathToFileURL(resolve('cli/end-when-told.ts')).href
const alive = "setInterval(() => {}, 1000); process.stdout.write('up')"

/** Resolves with the exit code of a program that was told to end once it ran. */
async function told(signal: NodeJS.Signals, more: string): Promise<unknown> {
  const program = `import { endWhenTold } from '${file}'; endWhenTold(); ${more}; ${alive}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill(signal)
  const [code] = (await ended) as [unknown]
  return code
}

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130]
] as const)('%s ends it, with %d', async (signal, code) => {
  expect(await told(signal, '')).toBe(code)
})

test('what stops in order is left to', async () => {
  const orderly = "process.on('SIGTERM', () => setTimeout(() => process.exit(7), 50))"
  expect(await told('SIGTERM', orderly)).toBe(7)
})
