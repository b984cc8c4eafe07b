/** Generates an open-loop load: sends decisions on schedule, regardless of the response times. */

/** `acknowledged`, the status and code of a rejection, or the error of a failed request. */
export type LoadOutcome = string

export interface LoadOptions {
  /** Decisions per second. */
  readonly rate: number
  readonly seconds: number
  /** Sends one decision. Must not reject. */
  readonly send: (index: number) => Promise<LoadOutcome>
  /** Stops the load early. Requests in progress are completed. */
  readonly signal: AbortSignal
  readonly clock: LoadClock
}

export interface LoadClock {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Resolves early if the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface LoadResult {
  readonly elapsedMs: number
  /** Number of decisions by outcome. */
  readonly outcomes: ReadonlyMap<LoadOutcome, number>
  /** Response times of acknowledged decisions in milliseconds, ascending. */
  readonly responseTimesMs: readonly number[]
}

/**
 * Maximum number of requests in progress. When it is reached, further requests wait, to protect the
 * machine.
 */
const openMax = 500

export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  const { rate, seconds, send, signal, clock } = options
  const outcomes = new Map<LoadOutcome, number>()
  const responseTimesMs: number[] = []
  const open = new Set<Promise<void>>()
  const startedAt = clock.now()

  async function sendOne(index: number): Promise<void> {
    const sentAt = clock.now()
    const outcome = await send(index)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 'acknowledged') responseTimesMs.push(clock.now() - sentAt)
  }

  for (let index = 0; index < Math.round(rate * seconds); index += 1) {
    const aheadMs = startedAt + (index * 1000) / rate - clock.now()
    if (aheadMs > 0) await clock.sleep(aheadMs, signal)
    if (open.size >= openMax) await Promise.race(open)
    if (signal.aborted) break
    const sending = sendOne(index).finally(() => open.delete(sending))
    open.add(sending)
  }
  await Promise.all(open)
  return {
    elapsedMs: clock.now() - startedAt,
    outcomes,
    responseTimesMs: responseTimesMs.toSorted((a, b) => a - b)
  }
}
