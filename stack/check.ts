/** `npm run check`: form, types, rules and unit tests, one line each, in well under a minute. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']

const STEPS: { name: string; command: string; args: string[] }[] = [
  { name: 'format', command: 'prettier', args: ['--check', '--log-level=warn', '.'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'rules', command: 'eslint', args: ['.'] },
  { name: 'arrows', command: 'depcruise', args: ['.', '--config'] },
  { name: 'unit tests', command: process.execPath, args: [...JEST, 'test/unit'] }
]

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Outcome = { passed: boolean; output: string }

async function run(command: string, args: string[]): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill()
  for (const signal of SIGNALS) process.once(signal, stop)
  const exited = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  const [passed, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  for (const signal of SIGNALS) process.off(signal, stop)
  return { passed, output: `${out}${err}`.trimEnd() }
}

async function check(): Promise<boolean> {
  const startedAt = performance.now()
  const failed: string[] = []
  for (const { name, command, args } of STEPS) {
    const stepStartedAt = performance.now()
    const { passed, output } = await run(command, args)
    const seconds = ((performance.now() - stepStartedAt) / 1000).toFixed(1)
    process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds} s\n`)
    if (passed) continue
    failed.push(name)
    process.stdout.write(`${output}\n\n`)
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const verdict = failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`
  process.stdout.write(`${verdict} (${STEPS.length} checks, ${seconds} s)\n`)
  return failed.length === 0
}

process.exitCode = (await check()) ? 0 : 1
