/** Retries failed work, with a pause between the attempts. */
import { backoffMs } from '../../core/backoff.ts'
import type { Backoff } from '../../core/backoff.ts'
import { pause } from './every.ts'

export interface RetryOptions {
  /** Backoff for consecutive failures, or a fixed pause in milliseconds. */
  readonly backoff: Backoff | number
  /** Whether another attempt can succeed after this error. */
  readonly isTransient: (error: unknown) => boolean
  /** Default: no limit. */
  readonly attemptsMax?: number
  /** Aborting it ends the current pause. The current or next attempt is then the last one. */
  readonly signal?: AbortSignal
  readonly onRetry?: (error: unknown, attempt: number) => void
}

/**
 * Repeats `work` until it succeeds. Passes it the number of the attempt, starting at 1.
 * @throws any error that is not transient, or the error of the last attempt
 */
export async function retry<R>(
  options: RetryOptions,
  work: (attempt: number) => Promise<R>
): Promise<R> {
  const { backoff, isTransient, attemptsMax = Infinity, signal, onRetry } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      const isLast = attempt >= attemptsMax || signal?.aborted === true
      if (isLast || !isTransient(error)) throw error
      onRetry?.(error, attempt)
    }
    const ms = typeof backoff === 'number' ? backoff : backoffMs(backoff, attempt, Math.random())
    await pause(ms, signal)
  }
}
