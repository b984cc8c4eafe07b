/** What follows from the answer to a request, or from there being none. */
import { countDropped, countSent } from './account.ts'
import { backoffMs } from './backoff.ts'
import { restoreReport } from './drop-report.ts'
import type { DropReason } from './drop-reason.ts'
import { answered, unreachable } from './failure-text.ts'
import type { FailureText } from './failure-text.ts'
import type { Answer } from './platform.ts'
import { putBack, release } from './queue.ts'
import type { Batch, Entry } from './queue.ts'
import type { Flight, SenderState } from './sender-state.ts'
import { readVerdict } from './verdict.ts'
import type { Fate, Verdict } from './verdict.ts'

/** No whole answer, and why. */
export interface NoAnswer {
  readonly error: unknown
}

export type Outcome = Answer | NoAnswer

export function settle(state: SenderState, flight: Flight, outcome: Outcome): void {
  const { baseUrl } = state.settings
  const { entries } = flight.batch
  forgetStandstill(state, flight)
  if ('error' in outcome) {
    restoreReport(state.report, flight.report)
    complain(state, unreachable(outcome.error, baseUrl), entries.length)
    return retryAll(state, flight, 0)
  }
  const isTaken = outcome.status === 202 || outcome.status === 207
  if (!isTaken) restoreReport(state.report, flight.report)
  const ids = entries.map(({ decisionId }) => decisionId)
  const verdict = readVerdict(outcome, ids, state.platform.wallClock())
  if (verdict.kind !== 'judged' && !(isTaken && entries.length === 0)) {
    complain(state, answered(outcome, baseUrl), entries.length)
  }
  follow(state, flight, verdict)
}

/** A request takes no longer than its timeout, but a host may be suspended: that is no attempt. */
function forgetStandstill({ settings, platform }: SenderState, flight: Flight): void {
  const stoodMs = platform.clock() - flight.startedAt - settings.timeoutMs
  if (stoodMs <= 0) return
  for (const entry of flight.batch.entries) {
    if (entry.firstTriedAt !== undefined) entry.firstTriedAt += stoodMs
  }
}

function complain(state: SenderState, { message, hint }: FailureText, count: number): void {
  const { ledger, notices } = state
  ledger.lastError = message
  notices.failed('send', new Error(message), { count, hint })
}

function follow(state: SenderState, flight: Flight, verdict: Verdict): void {
  state.isProbing = verdict.kind === 'misconfigured' || isBreakerOpen(state)
  switch (verdict.kind) {
    case 'judged':
      return judge(state, flight, verdict)
    case 'again':
      return retryAll(state, flight, verdict.retryAfterMs)
    case 'refused':
      return giveUp(state, flight.batch.entries, 'refused')
    case 'split':
      return halve(state, flight.batch)
    case 'misconfigured':
      return openBreaker(state, flight)
  }
}

/** Whatever ends before it does was under way when it opened. */
function isBreakerOpen({ isProbing, pausedUntil, platform }: SenderState): boolean {
  return isProbing && platform.clock() < pausedUntil
}

/** A wrong key is wrong for everything: what was refused waits with all the rest. */
function openBreaker(state: SenderState, { batch }: Flight): void {
  const { settings, platform } = state
  pauseUntil(state, platform.clock() + settings.breakerMs)
  retry(state, batch, { entries: batch.entries, at: state.pausedUntil, reason: 'unauthorized' })
}

interface Judgement {
  readonly fates: readonly Fate[]
  readonly retryAfterMs: number
}

function judge(state: SenderState, flight: Flight, { fates, retryAfterMs }: Judgement): void {
  const { entries } = flight.batch
  const of = (fate: Fate): Entry[] => entries.filter((_, index) => fates[index] === fate)
  const again = of('again')
  if (again.length === entries.length && again.length > 0) {
    complain(
      state,
      { message: 'the gateway took none of a batch', hint: 'it may later' },
      again.length
    )
    return retryAll(state, flight, retryAfterMs)
  }
  succeed(state, of('sent'))
  giveUp(state, of('refused'), 'refused')
  if (again.length > 0) retrySome(state, flight.batch, { entries: again, retryAfterMs })
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

function giveUp(state: SenderState, entries: readonly Entry[], reason: DropReason): void {
  for (const entry of entries) release(state.queue, entry)
  countDropped(state, entries, reason)
}

function halve(state: SenderState, batch: Batch): void {
  const { entries } = batch
  if (entries.length <= 1) return giveUp(state, entries, 'too_large')
  const half = Math.ceil(entries.length / 2)
  state.sizeLimit = Math.max(1, Math.min(state.sizeLimit, Math.floor(entries.length / 2)))
  const { attempt, notBefore } = batch
  const parts = [entries.slice(half), entries.slice(0, half)]
  for (const part of parts) {
    putBack(state.queue, { id: undefined, attempt, notBefore, entries: part })
  }
}

/** Requests that were under way at the last failure fail for the same reason: they count once. */
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

interface Some {
  readonly entries: readonly Entry[]
  readonly retryAfterMs: number
}

/** The gateway takes decisions, but not these: without a time for all, only they wait. */
function retrySome(state: SenderState, batch: Batch, { entries, retryAfterMs }: Some): void {
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

/** Whatever has no attempt left by then is given up now. */
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
  giveUp(state, ended, reason)
  if (kept.length === 0) return
  state.ledger.retried += kept.length
  const isWhole = kept.length === batch.entries.length
  const { id, attempt } = batch
  putBack(state.queue, { id: isWhole ? id : undefined, attempt, notBefore: at, entries: kept })
}
