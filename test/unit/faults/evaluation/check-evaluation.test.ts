/** Tests that `checkEvaluation` reports each violated guarantee. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { isSampled } from '../../../../evaluators/planning/sample.ts'
import type { EndedRun, EvaluationEvidence } from '../../../faults/evaluation/evidence.ts'
import {
  brokenEvaluationGuarantees,
  isJudged,
  checkEvaluation
} from '../../../faults/evaluation/check-evaluation.ts'
import type { EvaluationRunLine, PlannedBy } from '../../../faults/evaluation/ledger-line.ts'

const offline: readonly PlannedBy[] = [
  { rule_id: 'default', evaluator_id: 'not_empty' },
  { rule_id: 'rul_short', evaluator_id: 'evl_short' }
]
const judged = { rule_id: 'rul_judge', evaluator_id: 'evl_judge', rate: 0.5, cohort: 'default' }
const run: EvaluationRunLine = {
  ...{ line: 'evaluation_run', fault: 'a test', decisionsTopic: 'd', evaluationsTopic: 'e' },
  ...{ offline, judged }
}
const identities = Array.from({ length: 20 }, () => `org/${randomUUID()}`)
const sampled = identities.filter((identity) => isJudged(run, identity))

/**
 * Builds the evidence of a fault test without violations: each decision has a plan, each run is
 * stored and published, and each judged run has a call.
 */
function aRun(): EvaluationEvidence {
  const runs = identities.flatMap((identity) => {
    const by = isJudged(run, identity) ? [...offline, judged] : offline
    return by.map(({ rule_id, evaluator_id }): EndedRun => {
      const name = { identity, rule_id, evaluator_id, run_id: `${identity} ${evaluator_id}` }
      const end = { status: 'succeeded', status_reason: null, scores: 'score', endedAt: 200 }
      return { ...name, ...end }
    })
  })
  const calledRuns = sampled.map((identity) => `${identity} evl_judge`)
  return {
    ledger: [
      run,
      ...identities.map((identity) => ({
        ...{ line: 'attempt' as const, identity, outcome: 'acknowledged' as const, code: '' }
      })),
      { line: 'kill', at: 125, pid: 1, open: 1 }
    ],
    decisions: identities,
    published: runs,
    stored: runs,
    open: [],
    plans: identities.map((identity) => {
      const isIn = isJudged(run, identity)
      const outcomes = ['planned', 'planned', isIn ? 'planned' : 'sampled_out']
      return { identity, runs: isIn ? 3 : 2, outcomes }
    }),
    attempts: calledRuns.map((run_id) => ({
      ...{ run_id, attempt: 1, startedAt: 100, finishedAt: 190, outcome: 'scored' }
    })),
    calls: calledRuns.map((run_id, index) => ({
      ...{ event: 'began' as const, call: index + 1, run_id, status: null, at: 110 }
    }))
  }
}

function brokenOf(evidence: EvaluationEvidence): string[] {
  return Object.keys(brokenEvaluationGuarantees(checkEvaluation(evidence)))
}

const [first = ''] = sampled
const firstRun = `${first} evl_judge`
const isFirst = ({ run_id }: { run_id: string | null }): boolean => run_id === firstRun
const isOther = (each: { run_id: string | null }): boolean => !isFirst(each)

test('reports no violation for a correct run', () => {
  const report = checkEvaluation(aRun())
  expect(brokenEvaluationGuarantees(report)).toEqual({})
  expect(report).toMatchObject({
    ...{ decisions: 20, sampled: sampled.length, judgedRuns: sampled.length },
    ...{ planned: 40 + sampled.length, accounted: 40 + sampled.length },
    ...{ calls: sampled.length, extraCalls: 0, cutByKill: 0, recordedRetries: 0 }
  })
})

test('selects the same sample as the product', () => {
  const ids = Array.from({ length: 2000 }, () => randomUUID())
  const line = { ...run, judged: { ...judged, rate: 0.1 } }
  const sampling = { rate: 0.1, key: 'decision', cohort: 'default' } as const
  expect(ids.filter((id) => isJudged(line, `org/${id}`))).toEqual(
    ids.filter((id) => isSampled(sampling, { decision_id: id, session_id: null }))
  )
})

describe('a call that was interrupted by a kill', () => {
  function cut(evidence: EvaluationEvidence, startedAgainAt: number): EvaluationEvidence {
    const again = { run_id: firstRun, attempt: 2, startedAt: startedAgainAt, finishedAt: 190 }
    const call = { event: 'began' as const, call: 99, run_id: firstRun, status: null }
    return {
      ...evidence,
      attempts: [
        ...evidence.attempts.map((each) =>
          isFirst(each) ? { ...each, finishedAt: null, outcome: null } : each
        ),
        { ...again, outcome: 'scored' }
      ],
      calls: [...evidence.calls, { ...call, at: startedAgainAt + 5 }]
    }
  }

  test('is counted, and so is its repetition', () => {
    const report = checkEvaluation(cut(aRun(), 150))
    expect(brokenEvaluationGuarantees(report)).toEqual({})
    expect(report).toMatchObject({ extraCalls: 1, cutByKill: 1 })
  })

  test('is unexplained without a kill', () => {
    expect(brokenOf(cut(aRun(), 120))).toEqual(['unexplained'])
  })
})

const breakages: readonly [string, (kept: EvaluationEvidence) => Partial<EvaluationEvidence>][] = [
  ['missingFromTopic', ({ decisions }) => ({ decisions: decisions.filter((id) => id !== first) })],
  ['wrongPlans', ({ plans }) => ({ plans: plans.filter(({ identity }) => identity !== first) })],
  [
    'wrongPlans',
    ({ plans }) => ({ plans: plans.map((plan) => ({ ...plan, outcomes: ['sampled_out'] })) })
  ],
  ['unaccounted', ({ plans }) => ({ plans: [...plans, ...plans.slice(0, 1)] })],
  ['stillOpen', ({ stored }) => ({ open: stored.slice(0, 1) })],
  ['missingRuns', ({ stored }) => ({ stored: stored.slice(1) })],
  ['storedTwice', ({ stored }) => ({ stored: [...stored, ...stored.slice(0, 1)] })],
  [
    'notPlanned',
    ({ stored }) => ({ stored: [...stored, ...stored.slice(0, 1).map(withEvaluator('evl_other'))] })
  ],
  ['missingFromEvaluations', ({ published }) => ({ published: published.slice(1) })],
  [
    'endedTwice',
    ({ published }) => ({
      published: [
        ...published,
        ...published.slice(0, 1).map((end) => ({ ...end, status: 'failed' }))
      ]
    })
  ],
  [
    'endedTwice',
    ({ published }) => ({
      published: published.map((end) => (isFirst(end) ? { ...end, scores: 'another' } : end))
    })
  ],
  [
    'lost',
    ({ stored }) => ({
      stored: stored.map((end) => (isFirst(end) ? { ...end, status: 'expired' } : end))
    })
  ],
  [
    'calledAfterEnd',
    ({ calls }) => ({ calls: calls.map((call) => (isFirst(call) ? { ...call, at: 201 } : call)) })
  ],
  ['notRecorded', ({ attempts }) => ({ attempts: attempts.filter(isOther) })],
  ['notRecorded', ({ calls }) => ({ calls: [...calls, ...calls.filter(isFirst)] })],
  [
    'notRecorded',
    ({ calls }) => ({ calls: calls.map((call) => (isFirst(call) ? { ...call, at: 99 } : call)) })
  ],
  [
    'scoredTwice',
    ({ attempts }) => ({
      attempts: [...attempts, ...attempts.filter(isFirst).map((each) => ({ ...each, attempt: 2 }))]
    })
  ],
  ['scoredWithoutCall', ({ calls }) => ({ calls: calls.filter(isOther) })]
]

function withEvaluator(evaluator_id: string) {
  return (end: EndedRun): EndedRun => ({ ...end, evaluator_id })
}

test.each(breakages)('reports %s', (promise, breakIt) => {
  const kept = aRun()
  expect(brokenOf({ ...kept, ...breakIt(kept) })).toContain(promise)
})
