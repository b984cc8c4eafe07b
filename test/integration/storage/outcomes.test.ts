/** Tests that the stored outcome of a decision equals what readers see, whatever the order of runs.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { refreshUnplanned } from '../../../consumers/storage/refresh-unplanned.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { bareScore } from '../../../core/evaluation/evaluation.ts'
import type { Evaluation, LaterRun, PackedRun, Score } from '../../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { builtInEvaluators } from '../../../evaluators/default-rule-set.ts'
import { evaluationViewOf } from '../../../api/evaluation-view.ts'
import { createReadEvaluations } from '../../../api/read-evaluations.ts'
import { createStore } from '../../../api/store.ts'
import { scoresSql } from '../../../store/packed-sql.ts'
import { beginErasure } from '../../../store/erasure/erasure-table.ts'
import { runErasure } from '../../../store/erasure/run-erasure.ts'
import { createRandom } from '../../faults/random.ts'
import type { Random } from '../../faults/random.ts'
import {
  aDecision,
  anEvaluation,
  aPackedRun,
  aRun,
  aRunKind,
  aScore,
  noon
} from '../../support/builders.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { openStorage } from '../../support/open-storage.ts'
import type { OpenStorage } from '../../support/open-storage.ts'

const evaluators = builtInEvaluators.slice(0, 3)
const connectionsMax = 8
let storage: OpenStorage
let database: OpenStorage['database']
let postgres: OpenStorage['postgres']
let organization_id: string

beforeAll(async () => {
  storage = await openStorage(connectionsMax)
  ;({ database, postgres } = storage)
})

beforeEach(() => void (organization_id = randomUUID()))

function store(...evaluations: Evaluation[]): Promise<unknown> {
  return storage.storeEvaluations(...evaluations)
}

async function plan(decisionId: string, outcomes = ['planned']): Promise<void> {
  const runs = outcomes.includes('planned') ? builtInEvaluators.length : 0
  await database.query(
    `insert into evaluation_plans (organization_id, decision_id, received_at, rule_set_version,
                                   outcomes, runs) values ($1, $2, $3, 0, $4, $5)`,
    [organization_id, decisionId, new Date(noon), outcomes, runs]
  )
}

type AnyRun = PackedRun | LaterRun

function evaluationOf(decision_id: string, given: readonly AnyRun[], after = 40): Evaluation {
  const runs = given.filter((run) => 'kind' in run)
  const later_runs = given.filter((run): run is LaterRun => !('kind' in run))
  const evaluated_at = noon + after
  return anEvaluation({ organization_id, decision_id, runs, later_runs, evaluated_at })
}

/** Creates a packed run for each run that the default rule plans. */
function wholeRunsOf(): PackedRun[] {
  return builtInEvaluators.map((_, at) => packedRun(at))
}

function packedRun(at: number, overrides: Partial<PackedRun> = {}): PackedRun {
  const { evaluator_id, name, version } = builtInEvaluators[at] as EvaluatorVersion
  const isScored = (overrides.status ?? 'succeeded') === 'succeeded'
  const kind = aRunKind({
    ...{ evaluator_id, evaluator: name, evaluator_version: version },
    name: isScored ? name : null
  })
  return aPackedRun({ kind, ...(isScored ? {} : { value: null, passed: null }), ...overrides })
}

/** Creates a run of the default rule that is stored as a separate row. */
function laterRun(at: number, overrides: Partial<LaterRun> = {}): LaterRun {
  const { evaluator_id, name, version } = builtInEvaluators[at] as EvaluatorVersion
  return aRun({
    ...{ rule_id: 'default', evaluator_id, evaluator: name, evaluator_version: version },
    scores: [aScore({ name })],
    ...overrides
  })
}

function pushedRun(score: Partial<Score>, overrides: Partial<LaterRun> = {}): LaterRun {
  const { source_kind = 'human', name = 'not_empty' } = score
  return aRun({
    ...{ rule: pushRuleId, rule_id: pushRuleId, evaluator: name, evaluator_version: 0 },
    scores: [aScore({ ...bareScore, name, source_kind, ...score })],
    ...overrides
  })
}

/** Reads the API response and converts it to the shape of a row. */
async function seen(decisionId: string) {
  const ours = createStore(postgres).of(organization_id)
  const known = await createReadEvaluations().readEvaluation(ours, decisionId)
  const { status, reason, verdict, scores } = evaluationViewOf(known)
  const effective = Object.entries(scores).map(([name, entry]) => {
    const source = [entry, ...Object.values(entry.other_sources)].find(
      ({ source_kind }) => source_kind === entry.effective_source
    )
    const { value, label, passed } = source ?? entry
    return [name, { value, label, passed }] as const
  })
  return { status, reason, verdict, scores: Object.fromEntries(effective) }
}

async function kept(decisionId: string) {
  const [row] = await database.query(
    `select status, reason, verdict, ${scoresSql} as scores from evaluations e
      where organization_id = $1 and decision_id = $2`,
    [organization_id, decisionId]
  )
  return row
}

async function expectAgreement(decisionIds: readonly string[]): Promise<void> {
  for (const id of decisionIds) expect(await kept(id)).toEqual(await seen(id))
  expect(await findSumDifferences(database, organization_id)).toEqual([])
}

test('counts runs that fill a row inserted by a record without runs', async () => {
  const id = randomUUID()
  await plan(id, ['sampled_out'])
  await store(evaluationOf(id, []))
  await store(evaluationOf(id, wholeRunsOf()))
  await expectAgreement([id])
})

test('counts the later of two versions of an evaluator in one record', async () => {
  const id = randomUUID()
  const earlier = packedRun(0)
  const evaluator_version = earlier.kind.evaluator_version + 1
  const later = { ...earlier, kind: { ...earlier.kind, evaluator_version, name: 'other' } }
  await store(evaluationOf(id, [earlier, later]))
  expect((await kept(id))?.['scores']).toEqual({
    other: { value: 1, label: null, passed: true }
  })
  await expectAgreement([id])
})

test('stores a whole plan in one record as one outcome', async () => {
  const id = randomUUID()
  await plan(id)
  await store(evaluationOf(id, wholeRunsOf()))
  expect(await kept(id)).toMatchObject({ status: 'evaluated', reason: null, verdict: 'pass' })
  await expectAgreement([id])
})

test('keeps the first of two records with runs, and nothing of the second', async () => {
  const id = randomUUID()
  await plan(id)
  const failing = wholeRunsOf().map((run) => ({ ...run, value: 0, passed: false }))
  await store(evaluationOf(id, wholeRunsOf()), evaluationOf(id, failing.slice(0, 2)))
  await store(evaluationOf(id, failing))
  expect(await kept(id)).toMatchObject({ status: 'evaluated', verdict: 'pass' })
  await expectAgreement([id])
})

test('counts a record that is stored twice once', async () => {
  const id = randomUUID()
  await plan(id)
  const evaluation = evaluationOf(id, wholeRunsOf())
  await store(evaluation, evaluation)
  await store(evaluation)
  await expectAgreement([id])
})

test('shows a pending run until it is stored', async () => {
  const id = randomUUID()
  await plan(id)
  await store(evaluationOf(id, wholeRunsOf().slice(0, 3)))
  expect(await kept(id)).toMatchObject({ status: 'evaluating', reason: null })
  await expectAgreement([id])
  const others = builtInEvaluators.map((_, at) => laterRun(at)).slice(3)
  await store(...others.map((run) => evaluationOf(id, [run], 50)))
  expect(await kept(id)).toMatchObject({ status: 'evaluated' })
  await expectAgreement([id])
})

test('replaces a run and its scores by its replay', async () => {
  const id = randomUUID()
  await plan(id)
  const failing = packedRun(0, { value: 0, passed: false })
  await store(evaluationOf(id, [failing, ...wholeRunsOf().slice(1)]))
  expect(await kept(id)).toMatchObject({ verdict: 'mixed' })
  await store(evaluationOf(id, [laterRun(0, { generation: 1, evaluator_version: 2 })], 90))
  expect(await kept(id)).toMatchObject({ verdict: 'pass' })
  await expectAgreement([id])
})

test('lets the latest score of a user win', async () => {
  const id = randomUUID()
  await plan(id)
  await store(evaluationOf(id, wholeRunsOf()))
  await store(evaluationOf(id, [pushedRun({ value: 0, passed: false })], 60))
  expect(await kept(id)).toMatchObject({ verdict: 'mixed' })
  await expectAgreement([id])
  await store(evaluationOf(id, [pushedRun({ value: 1, passed: true })], 70))
  // An older run that arrives later changes nothing.
  await store(evaluationOf(id, [pushedRun({ value: 0, passed: false })], 50))
  expect(await kept(id)).toMatchObject({ verdict: 'pass' })
  await expectAgreement([id])
})

test('refreshes a decision whose score was stored before its plan', async () => {
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const
  for (const id of ids) await store(evaluationOf(id, [pushedRun({ name: 'tone' })]))
  expect(await kept(ids[0])).toMatchObject({ status: 'pending', reason: 'not_planned_yet' })
  await plan(ids[0], ['domain'])
  await plan(ids[1])
  await refreshUnplanned({ postgres, logger: new RecordingLogger() })
  expect(await kept(ids[0])).toMatchObject({ status: 'not_evaluated', reason: 'not_matched' })
  expect(await kept(ids[1])).toMatchObject({ status: 'pending', reason: null })
  await expectAgreement(ids)
})

describe('the sums', () => {
  test('are exact for large and small values that are added and removed', async () => {
    const values = [0.1, 0.2, 1e17, 1 / 3, -1e99, 1e-300, 12_345_678.901_234_5]
    const ids = values.map(() => randomUUID())
    const push = (id: string, value: number, after: number) =>
      store(evaluationOf(id, [pushedRun({ name: 'n', value, passed: null })], after))
    for (const [at, value] of values.entries()) await push(ids[at] ?? '', value, 10)
    for (const id of ids) await push(id, 0.5, 20)
    expect(await findSumDifferences(database, organization_id)).toEqual([])
    const [row] = await database.query(
      `select value_sum::text as sum, value_squares::text as squares, scores::integer as n
         from score_hours where organization_id = $1`,
      [organization_id]
    )
    expect(Number(row?.['sum'])).toBe(3.5)
    expect(Number(row?.['squares'])).toBe(1.75)
    expect(row?.['n']).toBe(7)
  })

  test('count values that cannot be summed, without affecting others', async () => {
    const given = [Number.NaN, Number.POSITIVE_INFINITY, 1e300, null, 2]
    const runs = given.map((value) => pushedRun({ name: 'n', value, passed: true }))
    await store(...runs.map((run) => evaluationOf(randomUUID(), [run])))
    const long = pushedRun({ name: 'n'.repeat(1000) })
    await store(evaluationOf(randomUUID(), [long]))
    const rows = await database.query(
      `select name, scores::integer, valued::integer, value_sum::float8, passed::integer
         from score_hours where organization_id = $1`,
      [organization_id]
    )
    expect(rows).toEqual([{ name: 'n', scores: 5, valued: 1, value_sum: 2, passed: 5 }])
    expect(await findSumDifferences(database, organization_id)).toEqual([])
  })
})

/** Creates a random run of a kind that can be stored for a decision. */
function anyRun(random: Random): AnyRun {
  const passed = random.chance(0.6)
  const score = { value: random.below(5) / 4, passed: random.chance(0.8) ? passed : null }
  const source_kind = ['human', 'api', 'end_user'][random.below(3)] ?? 'api'
  return random.chance(0.4) ? pushedRun({ ...score, source_kind }) : anyOwnRun(random, score)
}

function anyOwnRun(random: Random, score: { value: number; passed: boolean | null }): AnyRun {
  const at = random.below(evaluators.length)
  const status = random.chance(0.7) ? 'succeeded' : 'failed'
  const isScored = status === 'succeeded'
  if (random.chance(0.3)) return packedRun(at, { status, ...(isScored ? score : {}) })
  const name = evaluators[at]?.name ?? ''
  const scores = isScored ? [aScore({ ...score, name })] : []
  return laterRun(at, { status, generation: random.below(3), scores })
}

/**
 * Limits concurrency to the number of connections, because a caller that waits too long for a
 * connection gets an error.
 */
async function inParallel(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = work.values()
  const worker = async (): Promise<void> => {
    for (const next of left) await next()
  }
  await Promise.all(Array.from({ length: connectionsMax }, worker))
}

test.each([1, 2, 3, 4])('any order, concurrency, redelivery and erasure: seed %d', async (seed) => {
  const random = createRandom(seed)
  const ids = Array.from({ length: 12 }, () => randomUUID())
  const records = ids.flatMap((id) => [
    evaluationOf(id, wholeRunsOf(), 30),
    ...Array.from({ length: 6 }, () => evaluationOf(id, [anyRun(random)], random.below(100)))
  ])
  const again = [...records, ...records.filter(() => random.chance(0.3))]
  const shuffled = again.toSorted(() => random.next() - 0.5)
  const decisions = ids.map((decision_id, at) =>
    aDecision({ decision_id, organization_id, agent_id: `a${at % 3}`, metadata: `{"model":"m"}` })
  )
  const erased = decisions.filter(({ agent_id }) => agent_id === 'a0')
  const isPlanned = ids.map(() => random.chance(0.9))
  await inParallel([
    ...ids.filter((_, at) => isPlanned[at]).map((id) => () => plan(id)),
    ...decisions.map((decision) => () => storage.storeDecisions(decision)),
    ...chunksOf(shuffled, 5).map((chunk) => () => store(...chunk)),
    () => eraseAgent('a0')
  ])
  // Redelivers the decisions, because an erasure by agent does not find evaluations of decisions
  // that are not stored. Storage deletes those evaluations when the decision arrives.
  await storage.storeDecisions(...decisions)
  const goneIds = new Set(erased.map(({ decision_id }) => decision_id))
  const left = ids.filter((id) => !goneIds.has(id))
  await refreshUnplanned({ postgres, logger: new RecordingLogger() })
  await store(...left.map((id) => evaluationOf(id, [anyRun(random)], 200)))
  await expectAgreement(left)
  const agents = await database.query(
    `select agent_id from agents where organization_id = $1 order by 1`,
    [organization_id]
  )
  expect(agents).toEqual([{ agent_id: 'a1' }, { agent_id: 'a2' }])
})

async function eraseAgent(subject: string): Promise<void> {
  const rule = { organization_id, scope: 'agent', subject } as const
  const erasure = await beginErasure(postgres, { ...rule, requested_by: 'me', reason: null })
  await runErasure(postgres, erasure, () => {})
}

function chunksOf<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size)
  )
}
