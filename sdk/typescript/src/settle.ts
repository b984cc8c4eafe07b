/** Settles a batch: counts each decision as sent, drops it or retries it, depending on the
 * response.
 */
import { countDropped, countSent } from './count-decisions.ts'
import { backoffMs } from './backoff.ts'
import { restoreReport } from './drop-report.ts'
import type { DropReason } from './drop-reason.ts'
import { describeNoResponse, describeResponse, retried } from './describe-failure.ts'
import type { FailureText } from './describe-failure.ts'
import type { HttpResponse } from './platform.ts'
import { putBack, release } from './queue.ts'
import type { Batch, Entry } from './queue.ts'
import type { Flight, SenderState } from './sender-state.ts'
import { readBatchResult } from './batch-result.ts'
import type { ItemResult, BatchResult } from './batch-result.ts'

/** The exchange failed before a complete response arrived. */
export interface ExchangeFailure {
  readonly error: unknown
}

export type ExchangeResult = HttpResponse | ExchangeFailure

export function settle(state: SenderState, flight: Flight, result: ExchangeResult): void {
  const { baseUrl } = state.settings
  const { entries } = flight.batch
  excludeSuspension(state, flight)
  if ('error' in result) {
    restoreReport(state.report, flight.report)
    reportFailure(state, describeNoResponse(result.error, baseUrl), entries.length)
    return retryAll(state, flight, 0)
  }
  const isAccepted = result.status === 202 || result.status === 207
  if (!isAccepted) restoreReport(state.report, flight.report)
  const ids = entries.map(({ decisionId }) => decisionId)
  const batchResult = readBatchResult(result, ids, state.platform.wallClock())
  if (batchResult.kind !== 'items' && !(isAccepted && entries.length === 0)) {
    reportFailure(state, describeResponse(result, baseUrl), entries.length)
  }
  apply(state, flight, batchResult)
}

/**
 * Extends the retry budget by the time during which the host was suspended. A request exceeds its
 * timeout only if the host was suspended.
 */
function excludeSuspension({ settings, platform }: SenderState, flight: Flight): void {
  const suspendedMs = platform.clock() - flight.startedAt - settings.timeoutMs
  if (suspendedMs <= 0) return
  for (const entry of flight.batch.entries) {
    if (entry.firstTriedAt !== undefined) entry.firstTriedAt += suspendedMs
  }
}

function reportFailure(state: SenderState, { message, hint }: FailureText, count: number): void {
  const { ledger, notices } = state
  ledger.lastError = message
  notices.failed('send', new Error(message), { count, hint })
}

function apply(state: SenderState, flight: Flight, batchResult: BatchResult): void {
  state.isProbing = batchResult.kind === 'misconfigured' || isBreakerOpen(state)
  switch (batchResult.kind) {
    case 'items':
      return settleItems(state, flight, batchResult)
    case 'retry':
      return retryAll(state, flight, batchResult.retryAfterMs)
    case 'refused':
      return dropEntries(state, flight.batch.entries, 'refused')
    case 'split':
      return halve(state, flight.batch)
    case 'misconfigured':
      return openBreaker(state, flight)
  }
}

/**
 * Checks whether the breaker is open. It stays open when a request that was already in flight
 * succeeds.
 */
function isBreakerOpen({ isProbing, pausedUntil, platform }: SenderState): boolean {
  return isProbing && platform.clock() < pausedUntil
}

/** Pauses all requests, because a wrong API key or URL affects every decision. */
function openBreaker(state: SenderState, { batch }: Flight): void {
  const { settings, platform } = state
  pauseUntil(state, platform.clock() + settings.breakerMs)
  retry(state, batch, { entries: batch.entries, at: state.pausedUntil, reason: 'unauthorized' })
}

interface ItemResults {
  readonly items: readonly ItemResult[]
  readonly retryAfterMs: number
}

function settleItems(
  state: SenderState,
  flight: Flight,
  { items, retryAfterMs }: ItemResults
): void {
  const { entries } = flight.batch
  const of = (item: ItemResult): Entry[] => entries.filter((_, index) => items[index] === item)
  const retryable = of('retry')
  if (retryable.length === entries.length && retryable.length > 0) {
    reportFailure(
      state,
      {
        message: 'no decision of a batch was accepted',
        hint: retried
      },
      retryable.length
    )
    return retryAll(state, flight, retryAfterMs)
  }
  succeed(state, of('sent'))
  dropEntries(state, of('refused'), 'refused')
  if (retryable.length > 0) retrySome(state, flight.batch, { entries: retryable, retryAfterMs })
}

function succeed(state: SenderState, sent: readonly Entry[]): void {
  const { ledger, queue, settings, platform } = state
  state.failures = 0
  ledger.lastSuccessAt = platform.wallClock()
  state.sizeLimit = Math.min(settings.batchMaxItems, state.sizeLimit + 1)
  for (const entry of sent) {
    release(queue, entry)
    countSent(state, entry)
  }
}

function dropEntries(state: SenderState, entries: readonly Entry[], reason: DropReason): void {
  for (const entry of entries) release(state.queue, entry)
  countDropped(state, entries, reason)
}

function halve(state: SenderState, batch: Batch): void {
  const { entries } = batch
  if (entries.length <= 1) return dropEntries(state, entries, 'too_large')
  const half = Math.ceil(entries.length / 2)
  state.sizeLimit = Math.max(1, Math.min(state.sizeLimit, Math.floor(entries.length / 2)))
  const { attempt, notBefore } = batch
  const parts = [entries.slice(half), entries.slice(0, half)]
  for (const part of parts) {
    putBack(state.queue, { id: undefined, attempt, notBefore, entries: part })
  }
}

/**
 * Pauses all requests and retries the batch. If a request that was in flight at the last failure
 * also fails, the failure is not counted again, because it has the same cause.
 */
function retryAll(state: SenderState, { batch, startedAt }: Flight, retryAfterMs: number): void {
  const { settings, platform } = state
  const now = platform.clock()
  if (startedAt > state.failedAt) {
    state.failures++
    state.failedAt = now
  }
  const pause = backoffMs(Math.max(1, state.failures), settings, platform.random)
  pauseUntil(state, now + Math.max(pause, retryAfterMs))
  const { entries } = batch
  retry(state, batch, { entries, at: state.pausedUntil, reason: 'retries_exhausted' })
}

interface RetrySubset {
  readonly entries: readonly Entry[]
  readonly retryAfterMs: number
}

/**
 * Retries some decisions of a batch that the gateway accepted in part. Other decisions wait only if
 * the response has a Retry-After.
 */
function retrySome(state: SenderState, batch: Batch, { entries, retryAfterMs }: RetrySubset): void {
  const { settings, platform } = state
  const now = platform.clock()
  const attempts = Math.max(...entries.map((entry) => entry.attempts)) + 1
  const pause = Math.max(backoffMs(attempts, settings, platform.random), retryAfterMs)
  if (retryAfterMs > 0) pauseUntil(state, now + retryAfterMs)
  retry(state, batch, { entries, at: now + pause, reason: 'retries_exhausted' })
}

function pauseUntil(state: SenderState, until: number): void {
  state.pausedUntil = Math.max(state.pausedUntil, until)
}

interface Retry {
  readonly entries: readonly Entry[]
  readonly at: number
  readonly reason: DropReason
}

/** Puts entries back to retry them, and drops those with no attempts or time left. */
function retry(state: SenderState, batch: Batch, { entries, at, reason }: Retry): void {
  const { retryMaxAttempts, retryBudgetMs } = state.settings
  const kept: Entry[] = []
  const ended: Entry[] = []
  for (const entry of entries) {
    entry.attempts++
    const endsAt = (entry.firstTriedAt ?? at) + retryBudgetMs
    if (entry.attempts >= retryMaxAttempts || at > endsAt) ended.push(entry)
    else kept.push(entry)
  }
  dropEntries(state, ended, reason)
  if (kept.length === 0) return
  state.ledger.retried += kept.length
  const isWhole = kept.length === batch.entries.length
  const { id, attempt } = batch
  putBack(state.queue, { id: isWhole ? id : undefined, attempt, notBefore: at, entries: kept })
}
