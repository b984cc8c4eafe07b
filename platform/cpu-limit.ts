/** A limit on the time that a synchronous call may compute; beyond it the call is ended. */
import { Script } from 'node:vm'

export class CpuLimitError extends Error {
  override readonly name = 'CpuLimitError'
}

/**
 * Runs `work` and returns what it returns. Beyond `limitMs` of computing it is ended wherever it
 * stands, so it should only write what nobody reads after that. A call costs some 0.1 ms, for the
 * thread that watches it: give it many things to do. What `work` throws is thrown on.
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

/** Each time that the clock was up and the computing was not, there is another try. */
const triesMax = 5
const microsecondsPerMs = 1000

export const cpuLimit: CpuLimit = (work, limitMs) => {
  for (let tries = 1; ; tries++) {
    const before = process.threadCpuUsage()
    try {
      return once(work, limitMs)
    } catch (error) {
      if (!isTimeout(error)) throw error
      const { user, system } = process.threadCpuUsage(before)
      // The watch is a clock: a process that stood still has computed nothing meanwhile.
      const hasComputed = (user + system) * 2 >= limitMs * microsecondsPerMs
      if (hasComputed || tries === triesMax) {
        throw new CpuLimitError(`took more than ${limitMs} ms`, { cause: error })
      }
    }
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
