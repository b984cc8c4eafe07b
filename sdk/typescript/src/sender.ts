/** Sends queued decisions: when a batch is full, when it has waited long enough, or for a flush.
 *
 *   waiting ──▶ being sent ──▶ sent, rejected or dropped
 *      ▲             │
 *      └── a pause ──┘  no response, or a response that asks for a retry
 */
import { settle } from './settle.ts'
import type { ExchangeResult } from './settle.ts'
import { reportText, takeReport } from './drop-report.ts'
import { endFlushes, needsReport } from './flush-watch.ts'
import { freshCount, take } from './queue.ts'
import type { Batch } from './queue.ts'
import { sdkVersion } from './sdk-version.ts'
import type { Flight, SenderState } from './sender-state.ts'

const flightsMax = 2
const envelopeBytes = '{"decisions":[],"client_report":}'.length

/** Schedules sending after an entry was queued. Called for every decision, so it must be fast. */
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

/** Defers sending to a microtask, so that decisions logged in the same tick share a request. */
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

/** Starts all requests that are due and schedules the next one. */
export function pump(state: SenderState): void {
  const now = state.platform.clock()
  while (hasSlot(state) && nextAt(state) <= now) {
    const batch = takeBatch(state, now)
    if (batch === undefined) break
    start(state, batch)
  }
  endFlushes(state, now)
  const isReporting = needsReport(state)
  if (isReporting && hasSlot(state) && state.pausedUntil <= now) startReport(state)
  // `pump` runs again when a request ends.
  if (!hasSlot(state)) return
  arm(state, isReporting ? Math.min(nextAt(state), state.pausedUntil) : nextAt(state))
}

function hasSlot({ flights, isProbing }: SenderState): boolean {
  return flights.size < (isProbing ? 1 : flightsMax)
}

/** Returns when the next request may start; Infinity if nothing is waiting. */
function nextAt(state: SenderState): number {
  const { queue, flushes, pausedUntil } = state
  let at = Infinity
  for (const { notBefore } of queue.returned) at = Math.min(at, notBefore)
  const count = freshCount(queue)
  if (count > 0) {
    const isDue = state.isImmediate || isFull(state, count) || isFlushing(flushes)
    at = Math.min(at, isDue ? 0 : state.dueAt)
  }
  return at === Infinity ? at : Math.max(at, pausedUntil)
}

function isFlushing(flushes: SenderState['flushes']): boolean {
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
  void exchange(state, flight).then((result) => land(state, flight, result))
}

function land(state: SenderState, flight: Flight, result: ExchangeResult): void {
  state.flights.delete(flight)
  const { batch, startedAt } = flight
  state.notices.debug(() => {
    const request = `batch ${batch.id}, ${batch.entries.length} decisions, attempt ${batch.attempt}`
    const response = 'error' in result ? 'no response' : result.status
    return `${request}: ${response} in ${Math.round(state.platform.clock() - startedAt)} ms`
  })
  if (!flight.isAbandoned) settle(state, flight, result)
  pump(state)
}

/** Never rejects. */
async function exchange(state: SenderState, flight: Flight): Promise<ExchangeResult> {
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
  const json = reportText(report)
  return `{"decisions":[${decisions}]${json === undefined ? '' : `,"client_report":${json}`}}`
}
