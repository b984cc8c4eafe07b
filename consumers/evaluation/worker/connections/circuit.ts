/** Circuit breaker of a connection: decides whether its runs may call it, and when to probe.
 *
 *          five failures in a row, or one that affects every run
 *   closed ──────────────────────────────────────────────────────▶ open ◀──────────┐
 *     ▲                                                              │ probe_at    │ fails: wait
 *     │                                                              ▼             │ twice as long
 *     └──────────────────────── an answer ───────────────────── half_open ─────────┘
 *
 * While the circuit is open, the connection's runs are blocked without using up an attempt. While
 * it is half open, one run probes. If that run's process is killed, another run probes after
 * `probe_at`.
 */
import type { StatusReason } from '../../../../core/evaluation/status-reason.ts'
import type { JudgeOutcome } from '../judge-outcome.ts'

type CircuitState = 'closed' | 'open' | 'half_open'

export interface Circuit {
  readonly state: CircuitState
  readonly reason: StatusReason | null
  readonly since: Date
  readonly probe_at: Date | null
  /** Number of failed probes since the circuit opened. */
  readonly probes: number
  readonly failures_in_row: number
  /** End of the pause after a rate-limit response. */
  readonly paused_until: Date | null
}

export const failuresMax = 5
const probeFirstMs = 5000
const probeLastMs = 300_000
/** Pause after a rate-limit response without a Retry-After time. */
const pauseMs = 5000

/**
 * Effect of an outcome on the circuit. A `neutral` event says nothing about the connection. A
 * `blocking_failure` affects every run on the connection.
 */
export type CircuitEvent =
  | { readonly kind: 'answer' | 'neutral' }
  | { readonly kind: 'failure' | 'blocking_failure'; readonly reason: StatusReason }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null }

/** Reasons that do not depend on the provider, so they say nothing about the connection. */
const ownReasons = new Set(['code_error', 'content_missing', 'content_too_large', 'not_applicable'])

export function circuitEventOf({ result }: JudgeOutcome): CircuitEvent {
  if (result.kind === 'scored') return { kind: 'answer' }
  if (ownReasons.has(result.status_reason)) return { kind: 'neutral' }
  if (result.kind === 'skipped') return { kind: 'answer' }
  const { status_reason: reason, retryAfterMs } = result
  if (result.blocks) return { kind: 'blocking_failure', reason }
  if (reason === 'provider_rate_limited') return { kind: 'rate_limited', retryAfterMs }
  // A permanent failure shows that the provider responds, so it counts as an answer.
  return result.retryable ? { kind: 'failure', reason } : { kind: 'answer' }
}

export function circuitAfter(circuit: Circuit, event: CircuitEvent, now: Date): Circuit {
  switch (event.kind) {
    case 'neutral':
      return circuit
    case 'answer':
      return closed(circuit, now)
    case 'rate_limited':
      return paused(circuit, now, event.retryAfterMs ?? pauseMs)
    case 'blocking_failure':
      return opened(circuit, now, event.reason)
    case 'failure': {
      const counted = { ...circuit, failures_in_row: circuit.failures_in_row + 1 }
      const isEnough = circuit.state !== 'closed' || counted.failures_in_row >= failuresMax
      return isEnough ? opened(counted, now, event.reason) : counted
    }
  }
}

/**
 * Checks whether the event leaves the circuit unchanged. The circuit may have been read without a
 * lock and be slightly out of date.
 */
export function isSettledBy({ state, failures_in_row }: Circuit, { kind }: CircuitEvent): boolean {
  return kind === 'neutral' || (kind === 'answer' && state === 'closed' && failures_in_row === 0)
}

function closed(circuit: Circuit, now: Date): Circuit {
  const calm = { reason: null, probe_at: null, probes: 0, failures_in_row: 0 }
  const since = circuit.state === 'closed' ? circuit.since : now
  return { ...circuit, ...calm, state: 'closed', since }
}

/**
 * Pauses the connection. A rate-limit response does not prove that judges work, so an open circuit
 * stays open.
 */
function paused(circuit: Circuit, now: Date, waitMs: number): Circuit {
  const until = new Date(Math.max(circuit.paused_until?.getTime() ?? 0, now.getTime() + waitMs))
  if (circuit.state === 'closed') return { ...circuit, paused_until: until }
  return { ...circuit, state: 'open', probe_at: until, paused_until: until }
}

function opened(circuit: Circuit, now: Date, reason: StatusReason): Circuit {
  // Calls that began before the circuit opened may fail now. They are not probes.
  if (circuit.state === 'open') return { ...circuit, reason }
  const probes = circuit.state === 'half_open' ? circuit.probes + 1 : 0
  const waitMs = Math.min(probeLastMs, probeFirstMs * 2 ** Math.min(probes, 30))
  const since = circuit.state === 'half_open' ? circuit.since : now
  const probe_at = new Date(now.getTime() + waitMs)
  return { ...circuit, state: 'open', reason, since, probe_at, probes }
}

export type CircuitAdmission =
  | { readonly kind: 'admitted' }
  /** This run is the probe. The caller must store the circuit. */
  | { readonly kind: 'probe'; readonly circuit: Circuit }
  | { readonly kind: 'blocked'; readonly reason: StatusReason | null }
  | { readonly kind: 'paused'; readonly until: Date }

/**
 * Decides whether a run may call the connection now.
 * @param probeMs the time in milliseconds after which another run may probe
 */
export function admissionOf(circuit: Circuit, now: Date, probeMs: number): CircuitAdmission {
  const { state, paused_until, probe_at, reason } = circuit
  if (state === 'closed') {
    const isPaused = paused_until !== null && paused_until > now
    return isPaused ? { kind: 'paused', until: paused_until } : { kind: 'admitted' }
  }
  if (probe_at !== null && probe_at > now) return { kind: 'blocked', reason }
  const until = new Date(now.getTime() + probeMs)
  return { kind: 'probe', circuit: { ...circuit, state: 'half_open', probe_at: until } }
}
