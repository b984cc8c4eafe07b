/** Tests that a signal ends a program, unless the program has its own listener for the signal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'

const file = pathToFileURL(resolve('cli/run-until-signal.ts')).href
const alive = "setInterval(() => {}, 1000); process.stdout.write('up')"

/** Starts a program, sends it a signal and returns its exit code. */
async function exitCodeAfter(signal: NodeJS.Signals, more: string): Promise<unknown> {
  const program = `import { runUntilSignal } from '${file}'; runUntilSignal(); ${more}; ${alive}`
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
] as const)('%s ends the program with exit code %d', async (signal, code) => {
  expect(await exitCodeAfter(signal, '')).toBe(code)
})

test('a program with its own listener stops gracefully', async () => {
  const orderly = "process.on('SIGTERM', () => setTimeout(() => process.exit(7), 50))"
  expect(await exitCodeAfter('SIGTERM', orderly)).toBe(7)
})
