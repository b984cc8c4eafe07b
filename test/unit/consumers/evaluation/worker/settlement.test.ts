/** Tests the settlement of a run after an attempt: end, retry, or wait. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Circuit } from '../../../../../consumers/evaluation/worker/connections/circuit.ts'
import {
  noCall,
  permanentFailure
} from '../../../../../consumers/evaluation/worker/judge-outcome.ts'
import type { Failure } from '../../../../../consumers/evaluation/worker/judge-outcome.ts'
import type { PendingRun } from '../../../../../consumers/evaluation/worker/pending-run.ts'
import { settlementOf } from '../../../../../consumers/evaluation/worker/settlement.ts'

const now = new Date(1_000_000)
const closed: Circuit = {
  ...{ state: 'closed', reason: null, since: now, probe_at: null, probes: 0 },
  ...{ failures_in_row: 1, paused_until: null }
}

/** Creates a run with only the fields that affect its settlement. */
function aRun(overrides: Partial<PendingRun> = {}): PendingRun {
  const run = { attempts: 1, max_attempts: 8, cancel_requested_at: null, cancel_reason: null, now }
  return { ...run, ...overrides } as PendingRun
}

function settle(terms: Partial<Failure>, run = aRun(), circuit: Circuit | null = closed) {
  const result = { ...permanentFailure('provider_error', 'said no'), ...terms }
  return settlementOf(run, { result, report: noCall }, { circuit, random: 0.5 })
}

test('ends the run after the first attempt if no retry can help', () => {
  expect(settle({ status_reason: 'out_of_range' })).toEqual({
    ...{ kind: 'end', isCounted: true },
    end: { status: 'failed', status_reason: 'out_of_range', error: 'said no', http_status: null }
  })
})

describe('a transient failure', () => {
  test.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [30, 300_000]
  ])('after %i attempts is retried within twice %i ms', (attempts, waitMs) => {
    const settlement = settle({ retryable: true }, aRun({ attempts, max_attempts: 99 }))
    const at = new Date(now.getTime() + waitMs)
    expect(settlement).toMatchObject({ kind: 'retry', at, isCounted: true })
  })

  test('waits at least as long as the provider asks', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 7 }), (retryAfterMs, attempts) => {
        const settlement = settle({ retryable: true, retryAfterMs }, aRun({ attempts }))
        if (settlement.kind !== 'retry') throw new Error(settlement.kind)
        expect(settlement.at.getTime()).toBeGreaterThanOrEqual(now.getTime() + retryAfterMs)
      })
    )
  })

  test('ends the run after the last attempt', () => {
    const settlement = settle({ retryable: true }, aRun({ attempts: 8 }))
    expect(settlement).toMatchObject({ kind: 'end', end: { status: 'failed' } })
  })

  test('uses no attempt while the circuit is open, not even the last', () => {
    const open = { ...closed, state: 'open' as const }
    const settlement = settle({ retryable: true }, aRun({ attempts: 8 }), open)
    expect(settlement).toMatchObject({ kind: 'block', isCounted: false })
  })
})

test('uses no attempt when the provider asks to wait, not even the last', () => {
  const paused = { ...closed, paused_until: new Date(now.getTime() + 9000) }
  const terms = { status_reason: 'provider_rate_limited', retryable: true } as const
  const settlement = settle(terms, aRun({ attempts: 8 }), paused)
  expect(settlement).toMatchObject({ kind: 'retry', isCounted: false })
  if (settlement.kind === 'retry') expect(settlement.at > paused.paused_until).toBe(true)
})

test('ends a run without a score if it was canceled in the meantime', () => {
  const run = aRun({ cancel_requested_at: now, cancel_reason: 'deleted' })
  const scored = { result: { kind: 'scored' as const, scores: [] }, report: noCall }
  const settlement = settlementOf(run, scored, { circuit: closed, random: 0 })
  expect(settlement).toMatchObject({ end: { status: 'canceled', status_reason: 'deleted' } })
})
