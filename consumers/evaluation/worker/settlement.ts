/** Decides what happens after an attempt: the run ends, is retried, or waits for its connection. */
import { backoffMs } from '../../../core/backoff.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { Circuit } from './connections/circuit.ts'
import type { RunEnd } from './end-run.ts'
import type { Failure, JudgeOutcome } from './judge-outcome.ts'
import type { PendingRun } from './pending-run.ts'

export type Settlement =
  | { readonly kind: 'end'; readonly end: RunEnd; readonly isCounted: true }
  | {
      readonly kind: 'retry'
      readonly at: Date
      readonly status_reason: StatusReason
      /** False after a rate-limit response. The attempt then does not count towards the maximum. */
      readonly isCounted: boolean
    }
  | { readonly kind: 'block'; readonly status_reason: StatusReason; readonly isCounted: false }

interface SettlementContext {
  /** Circuit after this attempt, or null if the run needs no connection. */
  readonly circuit: Circuit | null
  /** Number in [0, 1). */
  readonly random: number
}

const backoff = { baseMs: 2000, capMs: 600_000 }
/** Maximum random delay after a pause, so that waiting runs do not all retry at the same time. */
const pauseSpreadMs = 2000

export function settlementOf(
  run: PendingRun,
  { result }: JudgeOutcome,
  { circuit, random }: SettlementContext
): Settlement {
  if (run.cancel_requested_at !== null) return ended(canceledEnd(run))
  if (result.kind === 'scored') {
    return ended({ status: 'succeeded', status_reason: null, scores: result.scores })
  }
  if (result.kind === 'skipped') {
    return ended({ status: 'skipped', status_reason: result.status_reason })
  }
  return failureSettlementOf(run, result, { circuit, random })
}

function failureSettlementOf(
  run: PendingRun,
  failure: Failure,
  { circuit, random }: SettlementContext
): Settlement {
  const { status_reason, retryable, blocks } = failure
  if (!retryable && !blocks) return ended(failedEnd(failure))
  if (isOpen(circuit)) return { kind: 'block', status_reason, isCounted: false }
  const paused = circuit?.paused_until ?? null
  if (status_reason === 'provider_rate_limited' && paused !== null) {
    const at = new Date(paused.getTime() + random * pauseSpreadMs)
    return { kind: 'retry', at, status_reason, isCounted: false }
  }
  if (run.attempts >= run.max_attempts) return ended(failedEnd(failure))
  const waitMs = Math.max(backoffMs(backoff, run.attempts, random), failure.retryAfterMs ?? 0)
  const at = new Date(run.now.getTime() + waitMs)
  return { kind: 'retry', at, status_reason, isCounted: true }
}

function isOpen(circuit: Circuit | null): boolean {
  return circuit !== null && circuit.state !== 'closed'
}

function ended(end: RunEnd): Settlement {
  return { kind: 'end', end, isCounted: true }
}

function failedEnd({ status_reason, message, http_status }: Failure): RunEnd {
  return { status: 'failed', status_reason, error: message, http_status }
}

export function canceledEnd({ cancel_reason }: PendingRun): RunEnd {
  return { status: 'canceled', status_reason: cancel_reason ?? 'user' }
}

/** Returns how an expired run ends. Its error names what the run was waiting for, if known. */
export function expiredEnd({ status, status_reason }: PendingRun): RunEnd {
  const waitedFor = status_reason === null ? '' : ` (${status_reason})`
  return { status: 'expired', status_reason: 'ttl', error: `expired while ${status}${waitedFor}` }
}
