/** Runs the static checks in parallel: formatting, types, lint rules, imports and schemas. */
import { runGroup } from './group.ts'
import { timed } from './tally.ts'
import type { PhaseResult } from './tally.ts'

const timeoutMs = 900_000

const checks: { name: string; command: string; args: string[] }[] = [
  { name: 'form', command: 'prettier', args: ['--check', '--log-level=warn', '.'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'console', command: 'tsc', args: ['--noEmit', '-p', 'console'] },
  { name: 'sdk', command: 'tsc', args: ['--noEmit', '-p', 'sdk/typescript/conformance'] },
  { name: 'rules', command: 'eslint', args: ['.'] },
  { name: 'imports', command: 'depcruise', args: ['.', '--config'] },
  {
    name: 'schemas',
    command: process.execPath,
    args: ['--no-warnings', 'cli/sluice.ts', 'schemas', 'check']
  }
]

export async function runChecks(signal: AbortSignal): Promise<PhaseResult> {
  return await timed('check', async () => {
    const outcomes = await Promise.all(checks.map((check) => runCheck(check, signal)))
    const passed = outcomes.filter((isPassed) => isPassed).length
    return { passed, failed: checks.length - passed, skipped: 0 }
  })
}

async function runCheck(check: (typeof checks)[number], signal: AbortSignal): Promise<boolean> {
  const startedAt = performance.now()
  const { name, command, args } = check
  // Use low priority, because tests with time limits run in parallel.
  const pace = { timeoutMs, isLowPriority: true }
  const options = { command, args, signal, environment: process.env, quiet: true, ...pace }
  const { code, output } = await runGroup(options)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(8)} ${seconds} s\n`)
  if (code !== 0 && !signal.aborted) process.stdout.write(`${output || `${command} failed`}\n\n`)
  return code === 0
}
