/** Runs one command of our own command line against the stack, as an operator would. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** kafkajs asks for timers in the past; what Node says about it would look like our trouble. */
const QUIET = '--disable-warning=TimeoutNegativeWarning'
const COMMAND_TIMEOUT_MS = 60_000

export type SluiceCommand = {
  args: string[]
  environment: NodeJS.ProcessEnv
  signal?: AbortSignal | undefined
  /** The checkout whose `sluice` runs; this one when left out. */
  cwd?: string | undefined
}

/** Resolves with what it printed; rejects with what it complained about. */
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
  const said = err.trim() || out.trim() || `exit code ${code ?? 'none, it took too long'}`
  throw new Error(`sluice ${args.slice(0, 2).join(' ')} failed: ${said}`)
}

/** "created a\ncreated b\nunchanged c" -> "2 created"; nothing changed -> "as before" */
export function changesIn(output: string): string {
  const verbs = output.split('\n').flatMap((line) => /^([a-z]+) /.exec(line)?.[1] ?? [])
  const changes = verbs.filter((verb) => verb !== 'unchanged')
  return changes.length === 0 ? 'as before' : `${changes.length} ${changes[0] ?? ''}`
}
