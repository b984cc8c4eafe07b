/** The program that logs decisions, as the bench sees it: a process for each measurement. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What it is asked; the address and the key come from its environment, like anybody's. */
export interface HostOrder {
  readonly what: 'enqueue' | 'send'
  /** JSON of the decisions that it logs, again and again. */
  readonly file: string
  readonly rounds: number
  /** Decisions; of each round where there are several. */
  readonly count: number
  /** Decisions in a second. */
  readonly rate: number
  /** How long its last flush may take. */
  readonly flushMs: number
}

export interface EnqueueReport {
  /** Median over the rounds, for one decision. */
  readonly enqueue_us: number
}

export interface SendReport {
  /** 99th percentile of the event loop's delay; null where there is no loop. */
  readonly loop_p99_ms: number | null
  /** Processor time of the whole program for one decision, sending included. */
  readonly cpu_us: number
  readonly stats: {
    readonly logged: number
    readonly sent: number
    readonly dropped: Readonly<Record<string, number>>
  }
  readonly pending: number
}

export const languages = ['typescript', 'python'] as const
export type Language = (typeof languages)[number]

const root = join(import.meta.dirname, '..', '..')
const timeoutMs = 420_000

/** @throws with what it said on stderr when it fails, or when there is no Python. */
export async function runHost<Report>(
  language: Language,
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

function programOf(language: Language): [string, string[]] {
  if (language === 'python') return ['python3', ['bench/sdk/host.py']]
  return [process.execPath, ['bench/sdk/host.ts']]
}
