/** The circuit of a connection: whether its judges are worth a call, and when to find out.
 *
 *            five failures in a row, or one that concerns every run
 *   closed ──────────────────────────────────────────────────────▶ open ◀──────────┐
 *     ▲                                                              │ probe_at    │ fails: wait
 *     │                                                              ▼             │ twice as long
 *     └──────────────────────── an answer ───────────────────── half_open ─────────┘
 *
 * While it is open its runs are blocked, and burn no attempt. Half open, one run is let through;
 * should its process be killed, another is, once `probe_at` has come again.
 */
import type { StatusReason } from '../../../../core/evaluation/status-reason.ts'
import type { JudgeOutcome } from '../judge-outcome.ts'

export type CircuitState = 'closed' | 'open' | 'half_open'

export interface Circuit {
  readonly state: CircuitState
  readonly reason: StatusReason | null
  readonly since: Date
  readonly probe_at: Date | null
  /** Probes that failed since it opened. */
  readonly probes: number
  readonly failures_in_row: number
  /** The provider asked for patience until then. */
  readonly paused_until: Date | null
}

export const failuresMax = 5
const probeFirstMs = 5000
const probeLastMs = 300_000
/** Where a provider asks for patience without saying how much. */
const pauseMs = 5000

/** `neutral` says nothing of the connection. */
export type CircuitEvent =
  | { readonly kind: 'answer' | 'neutral' }
  | { readonly kind: 'trouble' | 'refusal'; readonly reason: StatusReason }
  | { readonly kind: 'patience'; readonly retryAfterMs: number | null }

/** Reasons that are ours, and not the provider's. */
const ownReasons = new Set(['code_error', 'content_missing', 'content_too_large', 'not_applicable'])

export function circuitEventOf({ result }: JudgeOutcome): CircuitEvent {
  if (result.kind === 'scored') return { kind: 'answer' }
  if (ownReasons.has(result.status_reason)) return { kind: 'neutral' }
  if (result.kind === 'skipped') return { kind: 'answer' }
  const { status_reason: reason, retryAfterMs } = result
  if (result.blocks) return { kind: 'refusal', reason }
  if (reason === 'provider_rate_limited') return { kind: 'patience', retryAfterMs }
  // What no repetition mends is an answer, though not the one that was hoped for.
  return result.retryable ? { kind: 'trouble', reason } : { kind: 'answer' }
}

export function circuitAfter(circuit: Circuit, event: CircuitEvent, now: Date): Circuit {
  switch (event.kind) {
    case 'neutral':
      return circuit
    case 'answer':
      return closed(circuit, now)
    case 'patience':
      return paused(circuit, now, event.retryAfterMs ?? pauseMs)
    case 'refusal':
      return opened(circuit, now, event.reason)
    case 'trouble': {
      const counted = { ...circuit, failures_in_row: circuit.failures_in_row + 1 }
      const isEnough = circuit.state !== 'closed' || counted.failures_in_row >= failuresMax
      return isEnough ? opened(counted, now, event.reason) : counted
    }
  }
}

/** Whether an event leaves it as it is, however long that took to be known. */
export function isSettledBy({ state, failures_in_row }: Circuit, { kind }: CircuitEvent): boolean {
  return kind === 'neutral' || (kind === 'answer' && state === 'closed' && failures_in_row === 0)
}

function closed(circuit: Circuit, now: Date): Circuit {
  const calm = { reason: null, probe_at: null, probes: 0, failures_in_row: 0 }
  const since = circuit.state === 'closed' ? circuit.since : now
  return { ...circuit, ...calm, state: 'closed', since }
}

/** A provider that asks for patience answers, but that does not show that it would judge. */
function paused(circuit: Circuit, now: Date, waitMs: number): Circuit {
  const until = new Date(Math.max(circuit.paused_until?.getTime() ?? 0, now.getTime() + waitMs))
  if (circuit.state === 'closed') return { ...circuit, paused_until: until }
  return { ...circuit, state: 'open', probe_at: until, paused_until: until }
}

function opened(circuit: Circuit, now: Date, reason: StatusReason): Circuit {
  // Calls that began before it opened come back as well; they are no probes.
  if (circuit.state === 'open') return { ...circuit, reason }
  const probes = circuit.state === 'half_open' ? circuit.probes + 1 : 0
  const waitMs = Math.min(probeLastMs, probeFirstMs * 2 ** Math.min(probes, 30))
  const since = circuit.state === 'half_open' ? circuit.since : now
  const probe_at = new Date(now.getTime() + waitMs)
  return { ...circuit, state: 'open', reason, since, probe_at, probes }
}

export type Admission =
  | { readonly kind: 'admitted' }
  /** It is the one that finds out; the circuit is to be written. */
  | { readonly kind: 'probe'; readonly circuit: Circuit }
  | { readonly kind: 'blocked'; readonly reason: StatusReason | null }
  | { readonly kind: 'paused'; readonly until: Date }

/** @param probeMs how long a probe may take before another is let through. */
export function admissionOf(circuit: Circuit, now: Date, probeMs: number): Admission {
  const { state, paused_until, probe_at, reason } = circuit
  if (state === 'closed') {
    const isPaused = paused_until !== null && paused_until > now
    return isPaused ? { kind: 'paused', until: paused_until } : { kind: 'admitted' }
  }
  if (probe_at !== null && probe_at > now) return { kind: 'blocked', reason }
  const until = new Date(now.getTime() + probeMs)
  return { kind: 'probe', circuit: { ...circuit, state: 'half_open', probe_at: until } }
}
