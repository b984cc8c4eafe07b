/** A decision that is made of several steps, told one by one. */
import { listen } from './listen.ts'
import { startObservation } from './observation.ts'
import type { Observer, ObservationFields, Trace } from './observation.ts'

/**
 * Runs `work` and answers as it does; the decision is logged when `work` ends, or when what it
 * resolved with does.
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
