/** Runs an SDK in a separate process that takes commands as lines of JSON. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

export type Sdk = 'typescript' | 'python'
export const sdks: readonly Sdk[] = ['typescript', 'python']

export type Command = { readonly do: string } & Readonly<Record<string, unknown>>
export type Reply = Readonly<Record<string, unknown>>

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Time in milliseconds from the `end` command or the signal until the process exits. */
  readonly elapsedMs: number
}

export interface Driver {
  /**
   * Sends a command and resolves with its reply.
   * @throws if the driver reports an error, does not reply in time, or exits
   */
  ask(command: Command): Promise<Reply>
  /** Sends a command without waiting for the reply. */
  send(command: Command): void
  /**
   * Ends the driver with the command `end` or a signal, and resolves when it has exited.
   * @throws if it does not exit in time
   */
  end(how: string): Promise<Exit>
  /** Suspends the process for `ms` milliseconds, as some hosts do with idle processes. */
  suspend(ms: number): Promise<void>
  readonly stderr: () => string
  kill(): Promise<void>
}

const folder = join(import.meta.dirname, '..', '..', '..', 'sdk')
const programs: Record<Sdk, readonly string[]> = {
  typescript: [process.execPath, '--no-warnings', join(folder, 'typescript/conformance/driver.ts')],
  python: ['python3', join(folder, 'python/conformance/driver.py')]
}
const replyMs = 60_000
const endMs = 45_000
const ours = /^(SLUICE_(?!TEST)|AWS_|VERCEL|PYTHON|NODE_OPTIONS)/

/**
 * Starts a driver. It inherits the environment of the test run, except variables that change how an
 * SDK or its runtime behaves.
 */
export function startDriver(sdk: Sdk, environment: Readonly<Record<string, string>> = {}): Driver {
  const [program = '', ...args] = programs[sdk]
  const inherited = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const paths = { PYTHONPATH: join(folder, 'python/src'), PYTHONDONTWRITEBYTECODE: '1' }
  const env = { ...Object.fromEntries(inherited), ...paths, ...environment }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  return driverOf(child)
}

function driverOf(child: ChildProcess): Driver {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // Ignore write errors: if the driver has exited, waiting for the reply fails.
  child.stdin?.on('error', () => {})
  const exited = new Promise<Omit<Exit, 'elapsedMs'>>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message
      resolve({ code: null, signal: null })
    })
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const next = linesOf(child)

  function send(command: Command): void {
    child.stdin?.write(`${lineOf(command)}\n`)
  }

  async function ask(command: Command): Promise<Reply> {
    send(command)
    const line = await withDeadline(next(), { what: command.do, afterMs: replyMs, stderr: saidOf })
    if (line === null) throw new Error(`the driver exited at ${command.do}: ${stderr.slice(-2000)}`)
    const reply = JSON.parse(line) as Reply
    if (reply['error'] !== undefined)
      throw new Error(`${command.do}: ${JSON.stringify(reply['error'])}`)
    return reply
  }

  async function end(how: string): Promise<Exit> {
    const beganAt = performance.now()
    if (how === 'sigterm' || how === 'sigint') child.kill(how === 'sigterm' ? 'SIGTERM' : 'SIGINT')
    else child.stdin?.write(`${JSON.stringify({ do: 'end', how })}\n`)
    const exit = await withDeadline(exited, { what: how, afterMs: endMs, stderr: saidOf })
    return { ...exit, elapsedMs: performance.now() - beganAt }
  }

  const saidOf = (): string => stderr
  return {
    ask,
    send,
    end,
    suspend: async (ms) => {
      child.kill('SIGSTOP')
      await pause(ms)
      child.kill('SIGCONT')
    },
    stderr: saidOf,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    }
  }
}

/**
 * Formats a command as one line. U+2028 and U+2029 are escaped, because some line readers treat
 * them as line ends.
 */
function lineOf(command: Command): string {
  return JSON.stringify(command).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** Returns a function that reads the next line of output, or null at the end. */
function linesOf({ stdout }: ChildProcess): () => Promise<string | null> {
  if (stdout === null) throw new Error('the driver has no output')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return async () => {
    const { done, value } = await lines.next()
    return done === true ? null : value
  }
}

interface Deadline {
  readonly what: string
  readonly afterMs: number
  readonly stderr: () => string
}

async function withDeadline<T>(promise: Promise<T>, deadline: Deadline): Promise<T> {
  const { what, afterMs, stderr } = deadline
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const fail = (): void => {
      reject(new Error(`${what}: not within ${afterMs} ms: ${stderr().slice(-2000)}`))
    }
    timer = setTimeout(fail, afterMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
