/** The circuit of a connection: when it opens, who may probe it, and what closes it. */
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

const trouble: CircuitEvent = { kind: 'trouble', reason: 'provider_error' }
const refusal: CircuitEvent = { kind: 'refusal', reason: 'provider_auth' }

test('failures in a row open it, and an answer among them does not let it come to that', () => {
  const almost = Array.from({ length: failuresMax - 1 }, () => trouble)
  expect(after(almost).state).toBe('closed')
  expect(after([...almost, trouble])).toMatchObject({ state: 'open', reason: 'provider_error' })
  expect(after([...almost, { kind: 'answer' }, ...almost]).state).toBe('closed')
  expect(after([...almost, { kind: 'neutral' }, trouble]).state).toBe('open')
})

test('a refusal opens it at once', () => {
  expect(after([refusal])).toMatchObject({ state: 'open', reason: 'provider_auth', probes: 0 })
})

test('each probe that fails doubles the wait, up to five minutes', () => {
  let circuit = after([refusal])
  const waits: number[] = []
  for (let probe = 0; probe < 9; probe++) {
    const now = circuit.probe_at ?? start
    const admission = admissionOf(circuit, now, probeMs)
    if (admission.kind !== 'probe') throw new Error(admission.kind)
    circuit = circuitAfter(admission.circuit, refusal, now)
    waits.push((circuit.probe_at?.getTime() ?? 0) - now.getTime())
  }
  const seconds = [10, 20, 40, 80, 160, 300, 300, 300, 300]
  expect(waits).toEqual(seconds.map((each) => each * 1000))
  expect(circuit.since).toEqual(start)
})

test('one is let through to probe, and another only when that one is lost', () => {
  const open = after([refusal])
  expect(admissionOf(open, at(4999), probeMs)).toEqual({ kind: 'blocked', reason: 'provider_auth' })
  const probe = admissionOf(open, at(5000), probeMs)
  if (probe.kind !== 'probe') throw new Error(probe.kind)
  expect(admissionOf(probe.circuit, at(6000), probeMs).kind).toBe('blocked')
  expect(admissionOf(probe.circuit, at(5000 + probeMs), probeMs).kind).toBe('probe')
})

test('what comes back late while it is open is no probe', () => {
  const open = after([refusal])
  expect(circuitAfter(open, trouble, at(1000))).toMatchObject({
    ...{ probes: 0, probe_at: open.probe_at, reason: 'provider_error' }
  })
})

describe('patience', () => {
  const patience: CircuitEvent = { kind: 'patience', retryAfterMs: 7000 }

  test('is given until then, and is no failure', () => {
    const paused = after([patience])
    expect(paused).toMatchObject({ state: 'closed', failures_in_row: 0 })
    expect(admissionOf(paused, at(6999), probeMs)).toEqual({ kind: 'paused', until: at(7000) })
    expect(admissionOf(paused, at(7000), probeMs).kind).toBe('admitted')
  })

  test('never gets shorter', () => {
    const shorter = after([patience, { kind: 'patience', retryAfterMs: 10 }])
    expect(shorter.paused_until).toEqual(at(7000))
  })

  test('asked of a probe puts the next one off, and does not count against it', () => {
    const admission = admissionOf(after([refusal]), at(5000), probeMs)
    if (admission.kind !== 'probe') throw new Error(admission.kind)
    const paused = circuitAfter(admission.circuit, patience, at(5000))
    expect(paused).toMatchObject({ state: 'open', probes: 0, probe_at: at(12_000) })
  })
})

test('whatever happened, an answer closes it', () => {
  const event = fc.oneof(
    fc.constantFrom<CircuitEvent>(trouble, refusal, { kind: 'neutral' }, { kind: 'answer' }),
    fc.record({ kind: fc.constant('patience' as const), retryAfterMs: fc.nat() })
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

describe('of an attempt it hears', () => {
  const failure = (status_reason: StatusReason, terms: Partial<Failure> = {}) => ({
    ...{ ...permanentFailure(status_reason, ''), ...terms }
  })

  test.each([
    ['a score', { kind: 'scored' as const, scores: [] }, { kind: 'answer' }],
    ['a reply nobody can read', failure('invalid_result'), { kind: 'answer' }],
    ['our own bug', failure('code_error'), { kind: 'neutral' }],
    [
      'no content',
      { kind: 'skipped' as const, status_reason: 'content_missing' as const },
      { kind: 'neutral' }
    ],
    [
      'a key that is refused',
      failure('provider_auth', { blocks: true }),
      { kind: 'refusal', reason: 'provider_auth' }
    ],
    ['a timeout', failure('timeout', { retryable: true }), { kind: 'trouble', reason: 'timeout' }],
    [
      'too many requests',
      failure('provider_rate_limited', { retryable: true, retryAfterMs: 9 }),
      { kind: 'patience', retryAfterMs: 9 }
    ]
  ])('%s', (_what, result, event) => {
    expect(circuitEventOf({ result, report: noCall })).toEqual(event)
  })
})
