/** Repeats work in the background until it is stopped. */
import { backoffMs } from '../../core/backoff.ts'
import type { Backoff } from '../../core/backoff.ts'

export interface EveryOptions {
  /** Pause between two rounds. */
  readonly ms: number
  /** Maximum random extension of a pause, as a fraction, so that processes drift apart. */
  readonly jitter?: number
  /** Pause after consecutive failures. Default: `ms`. */
  readonly backoff?: Backoff
  /** Pause before the first round. Default: none. */
  readonly firstAfterMs?: number
  readonly onError: (error: unknown) => void
}

interface Repetition {
  /** Ends the current pause, or skips the next one. */
  nudge(): void
  /** Stops the repetition. Resolves when the current round has ended. */
  stop(): Promise<void>
}

/** Pause before the next round if there is more to do, so that other work runs in between. */
const soonMs = 1

/**
 * Repeats `work`. If it returns true, there is more to do, and the next round begins soon.
 * The signal is aborted when the repetition is stopped.
 */
export function every(
  options: EveryOptions,
  work: (signal: AbortSignal) => Promise<boolean | void>
): Repetition {
  const { ms, jitter = 0.2, backoff, firstAfterMs = 0, onError } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let wake = new AbortController()

  async function loop(): Promise<void> {
    let failures = 0
    let pauseMs = firstAfterMs
    for (;;) {
      if (pauseMs > 0) await pause(pauseMs, wake.signal)
      if (signal.aborted) return
      if (wake.signal.aborted) wake = new AbortController()
      try {
        const isMore = await work(signal)
        failures = 0
        pauseMs = isMore === true ? soonMs : ms * (1 + jitter * Math.random())
      } catch (error) {
        failures += 1
        onError(error)
        pauseMs = backoff === undefined ? ms : backoffMs(backoff, failures, Math.random())
      }
    }
  }

  const looping = loop()
  return {
    nudge: () => wake.abort(),
    stop: async () => {
      stopping.abort()
      wake.abort()
      await looping
    }
  }
}

/** Resolves after `ms`, or when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
