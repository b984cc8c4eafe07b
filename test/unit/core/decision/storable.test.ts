/** Tests which decisions and evaluations can be stored. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decisionObjection, evaluationObjection } from '../../../../core/decision/storable.ts'
import {
  aDecision,
  anEvaluation,
  aPackedRun,
  aRun,
  aRunKind,
  noon
} from '../../../support/builders.ts'
import { valueText } from '../json/json-texts.ts'

/** Postgres returns ids in lower case, so this id would not equal its stored form. */
const inCapitals = '01938C4E-5B7A-7C3E-9F00-2F6D1C1B8A55'
const year10000 = Date.UTC(10_000, 0, 1)

describe('decisionObjection', () => {
  test('accepts a decision written by the gateway', () => {
    expect(decisionObjection(aDecision())).toBeNull()
  })

  test('accepts any JSON input and any output without optional fields', () => {
    fc.assert(
      fc.property(valueText, fc.string({ unit: 'binary' }), (input, output) => {
        const decision = aDecision({
          input,
          output,
          agent_id: null,
          session_id: null,
          domain: null,
          metadata: null,
          input_tokens: null,
          output_tokens: null
        })
        expect(decisionObjection(decision)).toBeNull()
      })
    )
  })

  test.each([
    [{ decision_id: '' }, 'decision_id is not a lowercase UUID'],
    [{ decision_id: '4711' }, 'decision_id is not a lowercase UUID'],
    [{ decision_id: inCapitals }, 'decision_id is not a lowercase UUID'],
    [{ organization_id: 'acme' }, 'organization_id is not a lowercase UUID'],
    [{ organization_id: inCapitals }, 'organization_id is not a lowercase UUID'],
    [{ received_at: -1 }, 'received_at is not a valid time'],
    [{ received_at: year10000 }, 'received_at is not a valid time'],
    [{ received_at: Number.NaN }, 'received_at is not a valid time'],
    [{ input: '' }, 'input is not JSON text'],
    [{ input: 'hello' }, 'input is not JSON text'],
    [{ input: '{"a":1,}' }, 'input is not JSON text'],
    [{ metadata: '' }, 'metadata is not JSON text'],
    [{ metadata: '{' }, 'metadata is not JSON text'],
    [{ agent_id: 'a'.repeat(511) }, 'agent_id is longer than the contract allows'],
    [{ agent_id: 'a\0b' }, 'agent_id contains U+0000'],
    [{ session_id: '\0' }, 'session_id contains U+0000'],
    [{ domain: '\0' }, 'domain contains U+0000'],
    [{ sdk_version: '\0' }, 'sdk_version contains U+0000']
  ])('to %j is: %s', (overrides, objection) => {
    expect(decisionObjection(aDecision(overrides))).toBe(objection)
  })

  test.each([0, noon, year10000 - 1])('accepts the time %d', (received_at) => {
    expect(decisionObjection(aDecision({ received_at }))).toBeNull()
  })
})

const unpackable = 'a run in `runs` has an invalid status, score name, duration or number'

describe('evaluationObjection', () => {
  test('accepts an evaluation written by Sluice, with or without runs', () => {
    expect(evaluationObjection(anEvaluation())).toBeNull()
    expect(evaluationObjection(anEvaluation({ runs: [aPackedRun()], later_runs: [] }))).toBeNull()
  })

  test.each([
    [{ decision_id: '4711' }, 'decision_id is not a lowercase UUID'],
    [{ organization_id: 'acme' }, 'organization_id is not a lowercase UUID'],
    [{ evaluated_at: -1 }, 'evaluated_at is not a valid time'],
    [{ evaluated_at: year10000 }, 'evaluated_at is not a valid time'],
    [{ received_at: -1 }, 'received_at is not a valid time'],
    [{ received_at: year10000 }, 'received_at is not a valid time'],
    [{ later_runs: [aRun(), aRun({ run_id: 'first' })] }, 'a run_id is not a lowercase UUID'],
    [{ later_runs: [aRun({ run_id: inCapitals })] }, 'a run_id is not a lowercase UUID'],
    [{ agent_id: '\0' }, 'agent_id contains U+0000'],
    [{ runs: [aPackedRun(), aPackedRun()] }, 'two runs in `runs` have the same rule and evaluator'],
    ...[
      { status: 'expired' as 'failed' },
      { status: 'skipped' as const },
      { kind: aRunKind({ name: null }) },
      { kind: aRunKind({ name: 'n'.repeat(513) }) },
      { kind: aRunKind({ threshold: Infinity }) },
      { value: Number.NaN },
      { duration_us: -1 }
    ].map((run) => [{ runs: [aPackedRun(run)] }, unpackable] as const)
  ])('to %j is: %s', (overrides, objection) => {
    expect(evaluationObjection(anEvaluation(overrides))).toBe(objection)
  })
})
