/** An open load: what is due is sent, however long the answers to what was sent before take. */

/** 'acknowledged', else why not: status and code of a refusal, or what became of the call. */
export type Outcome = string

export interface LoadOptions {
  /** A second. */
  readonly rate: number
  readonly seconds: number
  /** Sends one and never rejects. */
  readonly send: (index: number) => Promise<Outcome>
  /** Ends it early; what is under way is still waited for. */
  readonly signal: AbortSignal
  readonly clock: LoadClock
}

export interface LoadClock {
  /** In milliseconds, since whenever. */
  now(): number
  /** Ends at once when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface LoadResult {
  readonly elapsedMs: number
  /** How many, by their outcome. */
  readonly outcomes: ReadonlyMap<Outcome, number>
  /** Of those that were acknowledged, in milliseconds, the shortest first. */
  readonly answerTimesMs: readonly number[]
}

/** So many may be unanswered at once; then the load waits, lest it hurts the machine it is on. */
const openMax = 500

export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  const { rate, seconds, send, signal, clock } = options
  const outcomes = new Map<Outcome, number>()
  const answerTimesMs: number[] = []
  const open = new Set<Promise<void>>()
  const startedAt = clock.now()

  async function sendOne(index: number): Promise<void> {
    const sentAt = clock.now()
    const outcome = await send(index)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 'acknowledged') answerTimesMs.push(clock.now() - sentAt)
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
    answerTimesMs: answerTimesMs.toSorted((a, b) => a - b)
  }
}
