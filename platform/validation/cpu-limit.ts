/** CPU limit: cancels a synchronous call that exceeds its time limit. */
import { Script } from 'node:vm'

export class CpuLimitError extends Error {
  override readonly name = 'CpuLimitError'
  /**
   * CPU time actually used. It can be less than the limit, because the limit is elapsed time and
   * the process may have been suspended.
   */
  readonly computedMs: number

  constructor(message: string, options: ErrorOptions & { readonly computedMs: number }) {
    super(message, options)
    this.computedMs = options.computedMs
  }
}

/**
 * Runs `work` and returns its result. After `limitMs`, the call is canceled at an arbitrary point,
 * so its writes must be atomic or discarded. Each call costs about 0.1 ms for a watchdog thread, so
 * process many items per call. Errors of `work` are rethrown.
 * @throws {CpuLimitError}
 */
export type CpuLimit = <T>(work: () => T, limitMs: number) => T

interface Place {
  work: () => void
}

const placeName = 'sluice.cpu-limit'
/**
 * Object through which the script calls `work`. A script creates it, because scripts run in the
 * main context and, under Jest, this module runs in a different one.
 */
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
