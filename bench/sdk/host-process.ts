/** Runs a program that logs decisions with an SDK, in a new process for each measurement. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Task of the program, which reads the URL and the API key from the environment. */
export interface HostOrder {
  readonly what: 'enqueue' | 'send'
  /** JSON file with the decisions to log, repeated as needed. */
  readonly file: string
  readonly rounds: number
  /** Number of decisions to log; for `enqueue`, the number per round. */
  readonly count: number
  /** Decisions per second. */
  readonly rate: number
  /** Timeout of the final flush. */
  readonly flushMs: number
}

export interface EnqueueReport {
  /** Median time per decision. */
  readonly enqueue_us: number
}

export interface SendReport {
  /** p99 of the event loop delay; null without an event loop. */
  readonly loop_p99_ms: number | null
  /** CPU time of the whole program per decision, including sending. */
  readonly cpu_us: number
  readonly stats: {
    readonly logged: number
    readonly sent: number
    readonly dropped: Readonly<Record<string, number>>
  }
  readonly pending: number
}

export const languages = ['typescript', 'python'] as const
export type SdkLanguage = (typeof languages)[number]

const root = join(import.meta.dirname, '..', '..')
const timeoutMs = 420_000

/**
 * Runs the program and resolves with its report.
 * @throws {Error} if Python is not installed, or if the program fails; the message then contains
 * the program's stderr
 */
export async function runHost<Report>(
  language: SdkLanguage,
  order: HostOrder,
  environment: NodeJS.ProcessEnv
): Promise<Report> {
  const [command, args] = programOf(language)
  const env = {
    ...process.env,
    PYTHONPATH: join(root, 'sdk', 'python', 'src'),
    ...environment
  }
  const options = { cwd: root, env, timeout: timeoutMs }
  const { stdout } = await promisify(execFile)(command, [...args, JSON.stringify(order)], options)
  return JSON.parse(stdout) as Report
}

function programOf(language: SdkLanguage): [string, string[]] {
  if (language === 'python') return ['python3', ['bench/sdk/host.py']]
  return [process.execPath, ['bench/sdk/host.ts']]
}
