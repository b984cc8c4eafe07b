/** Tests that packed runs are read exactly as they were published, with every field of runs and
 * scores.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createReadEvaluations } from '../../../api/read-evaluations.ts'
import { createStore } from '../../../api/store.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { bareRun, bareScore } from '../../../core/evaluation/evaluation.ts'
import type { Evaluation, PackedRun } from '../../../core/evaluation/evaluation.ts'
import { runIdOf, scoreIdOf } from '../../../core/ids/run-id.ts'
import { normalizedOf } from '../../../evaluators/score-of.ts'
import { aDecision, anEvaluation, aRun, noon } from '../../support/builders.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { evaluated, openStorage } from '../../support/open-storage.ts'
import type { OpenStorage } from '../../support/open-storage.ts'
import { reasonIn } from '../../support/reason-in.ts'

const organization_id = randomUUID()
let storage: OpenStorage

beforeAll(async () => void (storage = await openStorage()))

function store(...evaluations: Evaluation[]): Promise<readonly string[]> {
  return storage.storeEvaluations(...evaluations)
}

function aTold(overrides: Partial<Decision> = {}): Decision {
  return aDecision({ organization_id, ...overrides })
}

/** Reads every published field of a decision's runs from the view. */
async function storedOf({ decision_id }: Pick<Decision, 'decision_id'>) {
  const runs = await storage.database.query(
    `select run_id, rule, evaluator, evaluator_kind, evaluator_version, generation, status,
            status_reason, attempts, duration_us::float8, rule_id, evaluator_id, config_hash,
            replay_of, scheduled_at, started_at, error, http_status, provider, model,
            model_reported, input_tokens, output_tokens, nano_usd as cost_nano_usd, latency_ms
       from evaluation_runs where organization_id = $1 and decision_id = $2`,
    [organization_id, decision_id]
  )
  const scores = await storage.database.query(
    `select run_id, score_id, name, data_type, value, label, passed, reason, normalized, threshold,
            range_min, range_max, direction, confidence, evidence, source_kind, source_id
       from scores where organization_id = $1 and decision_id = $2`,
    [organization_id, decision_id]
  )
  const ofRun = Map.groupBy(scores, ({ run_id }) => run_id)
  return runs
    .map((run) => {
      const own = ofRun.get(run['run_id']) ?? []
      return { ...run, scores: own.map(({ run_id: _, ...score }) => score) }
    })
    .toSorted(byRunId)
}

function byRunId(one: object, other: object): number {
  const idOf = (run: object): string => (run as { run_id: string }).run_id
  return idOf(one) < idOf(other) ? -1 : 1
}

function publishedOf(evaluation: Evaluation) {
  const later = evaluation.later_runs.map((run) => {
    const scores = run.scores.map((score) => ({ ...score, source_kind: 'evaluator' }))
    return { ...run, scores }
  })
  return [...evaluation.runs.map((run) => wholeRunOf(evaluation, run)), ...later].toSorted(byRunId)
}

/** Adds the fields that the kind and the decision of a packed run imply. */
function wholeRunOf(evaluation: Evaluation, packed: PackedRun) {
  const { kind } = packed
  const { rule, evaluator, evaluator_kind, rule_id, evaluator_id, config_hash } = kind
  const { evaluator_version } = kind
  const { status, status_reason, duration_us, error } = packed
  const { value, label, passed, confidence, evidence } = packed
  const score = { value, label, passed, reason: reasonIn(packed), confidence, evidence }
  const { organization_id, decision_id } = evaluation
  const origin = { organization_id, decision_id, rule_id, evaluator_id, generation: 0 }
  const run_id = runIdOf({ ...origin, version: evaluator_version })
  const { name, data_type, threshold, range_min: min, range_max: max, direction } = kind
  const scale = { threshold, range_min: min, range_max: max, direction }
  const scaled = { data_type: data_type ?? 'text', min, max, direction }
  const given = {
    ...{ ...bareScore, ...score, ...scale, name, data_type },
    score_id: scoreIdOf(run_id, name ?? ''),
    normalized: normalizedOf(score.value, scaled),
    source_kind: 'evaluator'
  }
  return {
    ...{ ...bareRun, run_id, rule, rule_id, evaluator, evaluator_id, evaluator_kind },
    ...{ evaluator_version, config_hash, generation: 0, attempts: 1 },
    ...{ status, status_reason, duration_us, error },
    scores: name === null ? [] : [given]
  }
}

async function rowsIn(table: string, { decision_id }: Pick<Decision, 'decision_id'>) {
  return await storage.database.query(`select * from ${table} where decision_id = $1`, [
    decision_id
  ])
}

const outputs = [
  'Yes: within 30 days, unworn, you get the full price back.',
  '',
  '{"a": [1, 2',
  "I'm sorry, but I can't help with that. The card is 4111 1111 1111 1111, and",
  'write to jane.doe@acme-mail.com '.repeat(40),
  `"quoted", back\\slash, {braces}, NULL, null and a \u2028 line`
]

test('reads runs of the default rule as they were published, from one row each', async () => {
  const decisions = outputs.map((output) =>
    aTold({ output, input: JSON.stringify({ response_format: { type: 'json_object' } }) })
  )
  const evaluations = evaluated(...decisions)
  expect(new Set(await store(...evaluations))).toEqual(new Set(['done']))
  for (const evaluation of evaluations) {
    expect(await storedOf(evaluation)).toEqual(publishedOf(evaluation))
    expect(await rowsIn('later_runs', evaluation)).toEqual([])
  }
  expect(new Set(await store(...evaluations))).toEqual(new Set(['duplicate']))
})

test('keeps texts and numbers of any kind', async () => {
  const [evaluation] = evaluated(aTold()) as [Evaluation]
  const values = [0.1, 1e-300, -7, 0, null, 123_456_789.123_456_7]
  const reasons = ['"', '\\', 'NULL', '{a,b}', '', null]
  const runs = evaluation.runs.map((run, at): PackedRun => {
    if (run.kind.name === null) return { ...run, error: reasons[at % 6] ?? null }
    return {
      ...run,
      ...{ value: values[at % 6] ?? null, reason: reasons[at % 6] ?? null, reason_numbers: null },
      ...{ label: reasons[(at + 1) % 6] ?? null, evidence: '[{"quote":"\\"x\\\\"}]' },
      ...{ kind: { ...run.kind, direction: 'none', reason_template: null }, confidence: at / 7 }
    }
  })
  const given = { ...evaluation, runs }
  expect(await store(given)).toEqual(['done'])
  expect(await storedOf(given)).toEqual(publishedOf(given))
})

const scales = [
  ['whose range exceeds all numbers', { range_min: -1e308, range_max: 1e308 }, 1],
  ['too near to the end of its range', { range_min: 0, range_max: 1e100 }, 1e-300],
  ['whose range is too narrow', { range_min: 0, range_max: 5e-324 }, 1],
  ['with min above max', { range_min: 1, range_max: 0 }, 0.5],
  ['with only one end of a range', { range_min: 0, range_max: null }, 0.5],
  ['below its range', { range_min: 0, range_max: 4, direction: 'lower' }, -3]
] as const

test.each(scales)('reads a score %s', async (_, scale, value) => {
  const [evaluation] = evaluated(aTold()) as [Evaluation]
  const [first, ...others] = evaluation.runs as [PackedRun, ...PackedRun[]]
  const kind = { ...first.kind, data_type: 'numeric', direction: 'higher', ...scale } as const
  const given = { ...evaluation, runs: [{ ...first, kind, value }, ...others] }
  expect(await store(given)).toEqual(['done'])
  expect(await storedOf(given)).toEqual(publishedOf(given))
})

test('fills the row of an earlier pushed score with runs', async () => {
  const [evaluation] = evaluated(aTold()) as [Evaluation]
  const { decision_id } = evaluation
  const pushed = aRun({ rule: pushRuleId, rule_id: pushRuleId, evaluator_kind: 'human' })
  const push = anEvaluation({ organization_id, decision_id, later_runs: [pushed] })
  expect(await store(push)).toEqual(['done'])
  expect(await store(evaluation)).toEqual(['done'])
  expect(await store(evaluation, push)).toEqual(['duplicate', 'duplicate'])
  const stored = await storedOf(evaluation)
  expect(stored).toHaveLength(evaluation.runs.length + 1)
  expect(stored).toEqual(expect.arrayContaining(publishedOf(evaluation)))
  expect(await rowsIn('later_runs', evaluation)).toHaveLength(1)
})

test('treats runs in another record as duplicates and changes nothing', async () => {
  const [evaluation] = evaluated(aTold()) as [Evaluation]
  const other = { ...evaluation, evaluated_at: noon + 90, runs: evaluation.runs.slice(2) }
  expect(await store(evaluation, other)).toEqual(['done', 'duplicate'])
  expect(await store(other, evaluation)).toEqual(['duplicate', 'duplicate'])
  expect(await storedOf(evaluation)).toEqual(publishedOf(evaluation))
  expect(await findSumDifferences(storage.database, organization_id)).toEqual([])
})

test('reads a plan that was published with its runs like any other plan', async () => {
  const [evaluation] = evaluated(aTold()) as [Evaluation]
  await store(evaluation)
  const { decision_id, received_at, evaluated_at, runs } = evaluation
  const plan = { rule_set_version: 0, outcomes: ['planned'], runs: runs.length }
  expect(await rowsIn('decision_plans', evaluation)).toEqual([
    {
      ...{ organization_id, decision_id, ...plan },
      ...{ received_at: new Date(received_at), planned_at: new Date(evaluated_at) }
    }
  ])
  expect(await rowsIn('evaluations', evaluation)).toMatchObject([{ status: 'evaluated' }])
  const ours = createStore(storage.postgres).of(organization_id)
  const known = await createReadEvaluations().readEvaluation(ours, decision_id)
  expect(known.plan).toMatchObject({
    planned_at: new Date(evaluated_at),
    rules: [{ rule_id: 'default', outcome: 'planned' }]
  })
})

test('stores one row for copies of a decision that is not stored yet', async () => {
  const decision = aTold()
  const copies = evaluated(decision, { ...decision, received_at: noon + 5 })
  const [first, retry] = copies as [Evaluation, Evaluation]
  expect(await store(first)).toEqual(['done'])
  expect(await store(retry)).toEqual(['duplicate'])
  expect(await rowsIn('evaluations', decision)).toHaveLength(1)
})

test('gives the row of a retry the time of the stored decision', async () => {
  const decision = aTold()
  await storage.storeDecisions(decision)
  const [evaluation] = evaluated({ ...decision, received_at: noon + 86_400_000 }) as [Evaluation]
  expect(await store(evaluation)).toEqual(['done'])
  const [row] = await rowsIn('evaluations', decision)
  expect(row?.['received_at']).toEqual(new Date(noon))
  const [own] = evaluated(decision) as [Evaluation]
  expect(await store(own)).toEqual(['duplicate'])
})
