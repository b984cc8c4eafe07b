/** 503 for a limit of this instance that is reached: nothing was taken, and trying again helps. */
import { Problem } from '../../core/problem.ts'

const retryAfterSeconds = '1'

/** @param detail which limit it is, and what to do, in sentences. */
export function overloaded(detail: string, cause?: Error): Problem {
  return new Problem('overloaded', { detail, headers: { 'retry-after': retryAfterSeconds }, cause })
}
