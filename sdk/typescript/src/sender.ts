/** Sends what waits: when enough does, when it has waited long enough, or when a flush wants it.
 *
 *   waiting ──▶ on its way ──▶ sent, refused or given up
 *      ▲             │
 *      └── a pause ──┘  no answer, or one that says: later
 */
import { settle } from './settle.ts'
import type { Outcome } from './settle.ts'
import { reportText, takeReport } from './drop-report.ts'
import { endFlushes, wantsReport } from './flush-watch.ts'
import { freshCount, take } from './queue.ts'
import type { Batch } from './queue.ts'
import { sdkVersion } from './sdk-version.ts'
import type { Flight, SenderState } from './sender-state.ts'

const flightsMax = 2
const envelopeBytes = '{"decisions":[],"client_report":}'.length

/** To be called after an entry was added to the queue: the way that every decision takes. */
export function noteQueued(state: SenderState): void {
  const { queue, settings, platform } = state
  if (state.isImmediate) return noteImmediate(state)
  const count = freshCount(queue)
  if (count === 1) {
    state.dueAt = platform.clock() + settings.batchIntervalMs
    arm(state, state.dueAt)
  }
  if (isFull(state, count) && hasSlot(state)) pump(state)
}

/** What is logged in one go travels together. */
function noteImmediate(state: SenderState): void {
  if (state.cancelTimer !== undefined && state.timerAt === 0) return
  state.cancelTimer?.()
  let isCancelled = false
  state.timerAt = 0
  state.cancelTimer = () => (isCancelled = true)
  queueMicrotask(() => {
    if (isCancelled) return
    state.cancelTimer = undefined
    pump(state)
  })
}

function isFull({ queue, settings, sizeLimit }: SenderState, count: number): boolean {
  return count >= sizeLimit || queue.freshBytes + count >= settings.batchMaxBytes
}

/** Sends all that is due, and sees to it that the rest is sent when it is. */
export function pump(state: SenderState): void {
  const now = state.platform.clock()
  while (hasSlot(state) && nextAt(state) <= now) {
    const batch = takeBatch(state, now)
    if (batch === undefined) break
    start(state, batch)
  }
  endFlushes(state, now)
  const isReporting = wantsReport(state)
  if (isReporting && hasSlot(state) && state.pausedUntil <= now) startReport(state)
  // A request that ends pumps again.
  if (!hasSlot(state)) return
  arm(state, isReporting ? Math.min(nextAt(state), state.pausedUntil) : nextAt(state))
}

function hasSlot({ flights, isProbing }: SenderState): boolean {
  return flights.size < (isProbing ? 1 : flightsMax)
}

/** When the next request may start; Infinity when nothing waits. */
function nextAt(state: SenderState): number {
  const { queue, flushes, pausedUntil } = state
  let at = Infinity
  for (const { notBefore } of queue.returned) at = Math.min(at, notBefore)
  const count = freshCount(queue)
  if (count > 0) {
    const isDue = state.isImmediate || isFull(state, count) || isWanted(flushes)
    at = Math.min(at, isDue ? 0 : state.dueAt)
  }
  return at === Infinity ? at : Math.max(at, pausedUntil)
}

function isWanted(flushes: SenderState['flushes']): boolean {
  for (const { remaining } of flushes) if (remaining > 0) return true
  return false
}

function takeBatch(state: SenderState, now: number): Batch | undefined {
  const { settings, sizeLimit, queue, report } = state
  const overhead = envelopeBytes + (reportText(report)?.length ?? 0)
  const limits = { maxItems: sizeLimit, maxBytes: settings.batchMaxBytes - overhead }
  return take(queue, limits, now)
}

function arm(state: SenderState, at: number): void {
  if (at === Infinity || (state.cancelTimer !== undefined && state.timerAt <= at)) return
  state.cancelTimer?.()
  state.timerAt = at
  const delayMs = Math.max(0, Math.ceil(at - state.platform.clock()))
  state.cancelTimer = state.platform.startTimer(() => {
    state.cancelTimer = undefined
    pump(state)
  }, delayMs)
}

function startReport(state: SenderState): void {
  for (const flush of state.flushes) flush.hasReported = true
  start(state, { id: undefined, attempt: 0, notBefore: 0, entries: [] })
}

function start(state: SenderState, batch: Batch): void {
  const { platform, report } = state
  const startedAt = platform.clock()
  batch.id ??= state.newId()
  batch.attempt++
  for (const entry of batch.entries) entry.firstTriedAt ??= startedAt
  const taken = takeReport(report)
  const abort = new AbortController()
  const flight: Flight = { batch, report: taken, startedAt, abort, isAbandoned: false }
  state.flights.add(flight)
  state.ledger.requests++
  void exchange(state, flight).then((outcome) => land(state, flight, outcome))
}

function land(state: SenderState, flight: Flight, outcome: Outcome): void {
  state.flights.delete(flight)
  const { batch, startedAt } = flight
  state.notices.debug(() => {
    const what = `batch ${batch.id}, attempt ${batch.attempt}: ${batch.entries.length} decisions`
    const answer = 'error' in outcome ? 'no answer' : outcome.status
    return `${what}: ${answer} after ${Math.round(state.platform.clock() - startedAt)} ms`
  })
  if (!flight.isAbandoned) settle(state, flight, outcome)
  pump(state)
}

/** Never rejects. */
async function exchange(state: SenderState, flight: Flight): Promise<Outcome> {
  const { settings, platform } = state
  const { batch, abort } = flight
  try {
    const text = bodyOf(flight)
    const isLarge = platform.byteLength(text) > settings.gzipOverBytes
    const body = isLarge ? await platform.gzip(text) : text
    return await platform.transport({
      url: `${settings.baseUrl.replace(/\/+$/u, '')}/v1/ingest/batch`,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        'content-type': 'application/json',
        ...(isLarge ? { 'content-encoding': 'gzip' } : {}),
        'x-sluice-sdk': sdkVersion,
        'x-batch-id': batch.id ?? '',
        'x-attempt': String(batch.attempt)
      },
      body,
      timeoutMs: settings.timeoutMs,
      signal: abort.signal
    })
  } catch (error) {
    return { error }
  }
}

function bodyOf({ batch, report }: Flight): string {
  const decisions = batch.entries.map(({ text }) => text).join(',')
  const told = reportText(report)
  return `{"decisions":[${decisions}]${told === undefined ? '' : `,"client_report":${told}`}}`
}
