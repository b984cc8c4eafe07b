/** Decides which failed reads are retried automatically. */
import { ApiError, retryAfterOf } from './api-error.ts'

const retriesMax = 2
/**
 * Maximum number of retries for a decision that is not stored yet. A decision is usually stored
 * within seconds, and the server holds each retry until then, for at most `notYetWaitSeconds`.
 */
const notYetRetriesMax = 6
export const notYetWaitSeconds = 5

export function shouldRetry(failures: number, error: Error): boolean {
  if (!(error instanceof ApiError) || !error.problem.retryable) return false
  // A rate limit says when to retry; the page counts down and lets the user decide.
  if (error.problem.status === 429) return false
  return failures < (isNotYet(error) ? notYetRetriesMax : retriesMax)
}

export function retryDelayOf(failures: number, error: Error): number {
  if (isNotYet(error)) return 0
  const asked = retryAfterOf(error)
  return Math.max(asked * 1000, 500 * 2 ** failures)
}

/** Checks whether the API may find the object later, because storage has not caught up. */
export function isNotYet(error: Error | null): boolean {
  return error instanceof ApiError && error.problem.status === 404 && error.problem.retryable
}
