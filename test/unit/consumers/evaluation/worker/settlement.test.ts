/** What an attempt means for its run. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Circuit } from '../../../../../consumers/evaluation/worker/connections/circuit.ts'
import {
  noCall,
  permanentFailure
} from '../../../../../consumers/evaluation/worker/judge-outcome.ts'
import type { Failure } from '../../../../../consumers/evaluation/worker/judge-outcome.ts'
import type { OpenRun } from '../../../../../consumers/evaluation/worker/open-run.ts'
import { settlementOf } from '../../../../../consumers/evaluation/worker/settlement.ts'

const now = new Date(1_000_000)
const closed: Circuit = {
  ...{ state: 'closed', reason: null, since: now, probe_at: null, probes: 0 },
  ...{ failures_in_row: 1, paused_until: null }
}

/** Of a run only what a settlement looks at. */
function aRun(overrides: Partial<OpenRun> = {}): OpenRun {
  const run = { attempts: 1, max_attempts: 8, cancel_requested_at: null, cancel_reason: null, now }
  return { ...run, ...overrides } as OpenRun
}

function settle(terms: Partial<Failure>, run = aRun(), circuit: Circuit | null = closed) {
  const result = { ...permanentFailure('provider_error', 'said no'), ...terms }
  return settlementOf(run, { result, report: noCall }, { circuit, random: 0.5 })
}

test('what no repetition mends ends the run with the first attempt', () => {
  expect(settle({ status_reason: 'out_of_range' })).toEqual({
    ...{ kind: 'end', isCounted: true },
    end: { status: 'failed', status_reason: 'out_of_range', error: 'said no', http_status: null }
  })
})

describe('what passes', () => {
  test.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [30, 300_000]
  ])('after %i attempts is tried again within twice %i ms', (attempts, waitMs) => {
    const settlement = settle({ retryable: true }, aRun({ attempts, max_attempts: 99 }))
    const at = new Date(now.getTime() + waitMs)
    expect(settlement).toMatchObject({ kind: 'retry', at, isCounted: true })
  })

  test('waits at least as long as it was asked to', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 7 }), (retryAfterMs, attempts) => {
        const settlement = settle({ retryable: true, retryAfterMs }, aRun({ attempts }))
        if (settlement.kind !== 'retry') throw new Error(settlement.kind)
        expect(settlement.at.getTime()).toBeGreaterThanOrEqual(now.getTime() + retryAfterMs)
      })
    )
  })

  test('ends the run when it was the last attempt', () => {
    const settlement = settle({ retryable: true }, aRun({ attempts: 8 }))
    expect(settlement).toMatchObject({ kind: 'end', end: { status: 'failed' } })
  })

  test('behind an open circuit burns nothing, even the last attempt', () => {
    const open = { ...closed, state: 'open' as const }
    const settlement = settle({ retryable: true }, aRun({ attempts: 8 }), open)
    expect(settlement).toMatchObject({ kind: 'block', isCounted: false })
  })
})

test('a provider that asks for patience gets it, and no attempt burns, even the last', () => {
  const paused = { ...closed, paused_until: new Date(now.getTime() + 9000) }
  const terms = { status_reason: 'provider_rate_limited', retryable: true } as const
  const settlement = settle(terms, aRun({ attempts: 8 }), paused)
  expect(settlement).toMatchObject({ kind: 'retry', isCounted: false })
  if (settlement.kind === 'retry') expect(settlement.at > paused.paused_until).toBe(true)
})

test('who canceled it meanwhile gets no score', () => {
  const run = aRun({ cancel_requested_at: now, cancel_reason: 'deleted' })
  const scored = { result: { kind: 'scored' as const, scores: [] }, report: noCall }
  const settlement = settlementOf(run, scored, { circuit: closed, random: 0 })
  expect(settlement).toMatchObject({ end: { status: 'canceled', status_reason: 'deleted' } })
})
