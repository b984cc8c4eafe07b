/** Runs a `sluice` command against the stack. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/**
 * kafkajs sets timers with negative delays. They are harmless, but Node 24 would warn about each of
 * them.
 */
const QUIET = '--disable-warning=TimeoutNegativeWarning'
const COMMAND_TIMEOUT_MS = 60_000

type SluiceCommand = {
  args: string[]
  environment: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
  /** Checkout in which to run `sluice`. Default: this one. */
  cwd?: string | undefined
}

/** Runs the command and resolves with its output. Rejects with its error output. */
export async function runSluice(command: SluiceCommand): Promise<string> {
  const { args, environment, signal, cwd } = command
  const child = spawn(process.execPath, [QUIET, 'cli/sluice.ts', ...args], {
    env: environment,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_TIMEOUT_MS
  })
  const end = (): void => void child.kill()
  signal?.addEventListener('abort', end)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code === 0) return out
  const message = err.trim() || out.trim() || `exit code ${code ?? 'none, timed out'}`
  throw new Error(`sluice ${args.slice(0, 2).join(' ')} failed: ${message}`)
}

/**
 * Summarizes the changes in the output of a command. For example, "created a\ncreated b\nunchanged
 * c" becomes "2 created". Without changes, returns "unchanged".
 */
export function changesIn(output: string): string {
  const verbs = output.split('\n').flatMap((line) => /^([a-z]+) /.exec(line)?.[1] ?? [])
  const changes = verbs.filter((verb) => verb !== 'unchanged')
  return changes.length === 0 ? 'unchanged' : `${changes.length} ${changes[0] ?? ''}`
}
