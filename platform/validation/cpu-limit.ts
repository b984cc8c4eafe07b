/** A limit on the time that a synchronous call may compute; beyond it the call is ended. */
import { Script } from 'node:vm'

export class CpuLimitError extends Error {
  override readonly name = 'CpuLimitError'
  /** What it really computed: the watch is a clock, and a process may stand still meanwhile. */
  readonly computedMs: number

  constructor(message: string, options: ErrorOptions & { readonly computedMs: number }) {
    super(message, options)
    this.computedMs = options.computedMs
  }
}

/**
 * Runs `work` and returns what it returns. After `limitMs` it is ended wherever it stands, so what
 * it writes should be written whole or be read by nobody. A call costs some 0.1 ms, for the thread
 * that watches it: give it many things to do. What `work` throws is thrown on.
 *
 * @throws {CpuLimitError}
 */
export type CpuLimit = <T>(work: () => T, limitMs: number) => T

interface Place {
  work: () => void
}

const placeName = 'sluice.cpu-limit'
/** Scripts run in the context of the process, which in tests is not the one of this file. */
const place = new Script(
  `globalThis[Symbol.for('${placeName}')] ??= { work() {} }`
).runInThisContext() as Place
const script = new Script(`globalThis[Symbol.for('${placeName}')].work()`)

export const cpuLimit: CpuLimit = (work, limitMs) => {
  const before = process.threadCpuUsage()
  try {
    return once(work, limitMs)
  } catch (error) {
    if (!isTimeout(error)) throw error
    const { user, system } = process.threadCpuUsage(before)
    const computedMs = (user + system) / 1000
    throw new CpuLimitError(`took more than ${limitMs} ms`, { cause: error, computedMs })
  }
}

function once<T>(work: () => T, limitMs: number): T {
  const outer = place.work
  let result: { readonly value: T } | undefined
  place.work = () => {
    result = { value: work() }
  }
  try {
    script.runInThisContext({ timeout: limitMs })
  } finally {
    place.work = outer
  }
  if (result === undefined) throw new Error('the work was not run')
  return result.value
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
