/** What an attempt means for its run: it ends, is tried again, or waits for its connection. */
import { backoffMs } from '../../../core/backoff.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { Circuit } from './connections/circuit.ts'
import type { Failure, JudgeOutcome } from './judge-outcome.ts'
import type { OpenRun } from './open-run.ts'
import type { RunEnd } from './run-of.ts'

export type Settlement =
  | { readonly kind: 'end'; readonly end: RunEnd; readonly isCounted: true }
  | {
      readonly kind: 'retry'
      readonly at: Date
      readonly status_reason: StatusReason
      /** Waiting for a provider that asks for it burns no attempt. */
      readonly isCounted: boolean
    }
  | { readonly kind: 'block'; readonly status_reason: StatusReason; readonly isCounted: false }

export interface Surroundings {
  /** As it is after this attempt; null for a run that needs no connection. */
  readonly circuit: Circuit | null
  /** In [0, 1). */
  readonly random: number
}

const backoff = { baseMs: 2000, capMs: 600_000 }
/** Those who were asked to wait come back one after the other, within so much of it. */
const pauseSpreadMs = 2000

export function settlementOf(
  run: OpenRun,
  { result }: JudgeOutcome,
  { circuit, random }: Surroundings
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
  run: OpenRun,
  failure: Failure,
  { circuit, random }: Surroundings
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

export function canceledEnd({ cancel_reason }: OpenRun): RunEnd {
  return { status: 'canceled', status_reason: cancel_reason ?? 'user' }
}

/** What it waited for last says more than that it waited. */
export function expiredEnd({ status, status_reason }: OpenRun): RunEnd {
  const waitedFor = status_reason === null ? '' : ` (${status_reason})`
  return { status: 'expired', status_reason: 'ttl', error: `it was still ${status}${waitedFor}` }
}
