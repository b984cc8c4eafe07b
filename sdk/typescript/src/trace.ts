/** Runs a function that sets the fields of a decision step by step, and logs the decision. */
import { listen } from './listen.ts'
import { startObservation } from './observation.ts'
import type { Observer, ObservationFields, Trace } from './observation.ts'

/**
 * Runs `work` and returns its result. The decision is logged when `work` ends or, if `work` returns
 * or resolves with a stream, when the stream ends.
 */
export function trace<T>(
  observer: Observer,
  work: (trace: Trace) => T,
  fields: ObservationFields = {}
): T {
  const observation = startObservation(observer, fields)
  const fail = (error: unknown): void => void observation.fail(error)
  const end = (): void => void observation.end()
  try {
    return listen(work(observation), { value: end, chunk: () => {}, end, fail })
  } catch (error) {
    fail(error)
    throw error
  }
}
