/** Creates the 503 for a limit of this instance: nothing was accepted, and a retry may succeed. */
import { Problem } from '../../core/problem.ts'

const retryAfterSeconds = '1'

/** @param detail sentences that say which limit is reached and what to do */
export function overloaded(detail: string, cause?: Error): Problem {
  return new Problem('overloaded', { detail, headers: { 'retry-after': retryAfterSeconds }, cause })
}
