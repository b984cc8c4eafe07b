/** Tests a connection's circuit: when it opens, which run may probe the connection, and what closes
 * the circuit.
 */
import type { StatusReason } from '../../../../../../core/evaluation/status-reason.ts'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  admissionOf,
  circuitAfter,
  circuitEventOf,
  failuresMax
} from '../../../../../../consumers/evaluation/worker/connections/circuit.ts'
import type {
  Circuit,
  CircuitEvent
} from '../../../../../../consumers/evaluation/worker/connections/circuit.ts'
import {
  noCall,
  permanentFailure
} from '../../../../../../consumers/evaluation/worker/judge-outcome.ts'
import type { Failure } from '../../../../../../consumers/evaluation/worker/judge-outcome.ts'

const start = new Date(0)
const closed: Circuit = {
  ...{ state: 'closed', reason: null, since: start, probe_at: null, probes: 0 },
  ...{ failures_in_row: 0, paused_until: null }
}
const probeMs = 30_000

function at(ms: number): Date {
  return new Date(ms)
}

function after(events: readonly CircuitEvent[], circuit = closed): Circuit {
  return events.reduce((state, event) => circuitAfter(state, event, start), circuit)
}

const failed: CircuitEvent = { kind: 'failure', reason: 'provider_error' }
const blocked: CircuitEvent = { kind: 'blocking_failure', reason: 'provider_auth' }

test('opens after consecutive failures; a response resets the count', () => {
  const almost = Array.from({ length: failuresMax - 1 }, () => failed)
  expect(after(almost).state).toBe('closed')
  expect(after([...almost, failed])).toMatchObject({ state: 'open', reason: 'provider_error' })
  expect(after([...almost, { kind: 'answer' }, ...almost]).state).toBe('closed')
  expect(after([...almost, { kind: 'neutral' }, failed]).state).toBe('open')
})

test('opens at once after a blocking failure', () => {
  expect(after([blocked])).toMatchObject({ state: 'open', reason: 'provider_auth', probes: 0 })
})

test('doubles the wait after each failed probe, up to five minutes', () => {
  let circuit = after([blocked])
  const waits: number[] = []
  for (let probe = 0; probe < 9; probe++) {
    const now = circuit.probe_at ?? start
    const admission = admissionOf(circuit, now, probeMs)
    if (admission.kind !== 'probe') throw new Error(admission.kind)
    circuit = circuitAfter(admission.circuit, blocked, now)
    waits.push((circuit.probe_at?.getTime() ?? 0) - now.getTime())
  }
  const seconds = [10, 20, 40, 80, 160, 300, 300, 300, 300]
  expect(waits).toEqual(seconds.map((each) => each * 1000))
  expect(circuit.since).toEqual(start)
})

test('admits one probe, and another only if the first is lost', () => {
  const open = after([blocked])
  expect(admissionOf(open, at(4999), probeMs)).toEqual({ kind: 'blocked', reason: 'provider_auth' })
  const probe = admissionOf(open, at(5000), probeMs)
  if (probe.kind !== 'probe') throw new Error(probe.kind)
  expect(admissionOf(probe.circuit, at(6000), probeMs).kind).toBe('blocked')
  expect(admissionOf(probe.circuit, at(5000 + probeMs), probeMs).kind).toBe('probe')
})

test('does not count a late result as a probe while it is open', () => {
  const open = after([blocked])
  expect(circuitAfter(open, failed, at(1000))).toMatchObject({
    ...{ probes: 0, probe_at: open.probe_at, reason: 'provider_error' }
  })
})

describe('a rate limit', () => {
  const rateLimited: CircuitEvent = { kind: 'rate_limited', retryAfterMs: 7000 }

  test('pauses the connection for the requested time, and does not count as a failure', () => {
    const paused = after([rateLimited])
    expect(paused).toMatchObject({ state: 'closed', failures_in_row: 0 })
    expect(admissionOf(paused, at(6999), probeMs)).toEqual({ kind: 'paused', until: at(7000) })
    expect(admissionOf(paused, at(7000), probeMs).kind).toBe('admitted')
  })

  test('is never shortened', () => {
    const shorter = after([rateLimited, { kind: 'rate_limited', retryAfterMs: 10 }])
    expect(shorter.paused_until).toEqual(at(7000))
  })

  test('delays the next probe, and does not count as a failed probe', () => {
    const admission = admissionOf(after([blocked]), at(5000), probeMs)
    if (admission.kind !== 'probe') throw new Error(admission.kind)
    const paused = circuitAfter(admission.circuit, rateLimited, at(5000))
    expect(paused).toMatchObject({ state: 'open', probes: 0, probe_at: at(12_000) })
  })
})

test('closes after a response, whatever happened before', () => {
  const event = fc.oneof(
    fc.constantFrom<CircuitEvent>(failed, blocked, { kind: 'neutral' }, { kind: 'answer' }),
    fc.record({ kind: fc.constant('rate_limited' as const), retryAfterMs: fc.nat() })
  )
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const circuit = circuitAfter(after(events), { kind: 'answer' }, start)
      expect(circuit).toMatchObject({
        state: 'closed',
        reason: null,
        failures_in_row: 0,
        probes: 0
      })
    })
  )
})

describe('the event of an attempt', () => {
  const failure = (status_reason: StatusReason, terms: Partial<Failure> = {}) => ({
    ...{ ...permanentFailure(status_reason, ''), ...terms }
  })

  test.each([
    ['a score', { kind: 'scored' as const, scores: [] }, { kind: 'answer' }],
    ['an unreadable reply', failure('invalid_result'), { kind: 'answer' }],
    ['an own bug', failure('code_error'), { kind: 'neutral' }],
    [
      'missing content',
      { kind: 'skipped' as const, status_reason: 'content_missing' as const },
      { kind: 'neutral' }
    ],
    [
      'a rejected API key',
      failure('provider_auth', { blocks: true }),
      { kind: 'blocking_failure', reason: 'provider_auth' }
    ],
    ['a timeout', failure('timeout', { retryable: true }), { kind: 'failure', reason: 'timeout' }],
    [
      'too many requests',
      failure('provider_rate_limited', { retryable: true, retryAfterMs: 9 }),
      { kind: 'rate_limited', retryAfterMs: 9 }
    ]
  ])('%s', (_what, result, event) => {
    expect(circuitEventOf({ result, report: noCall })).toEqual(event)
  })
})
