/** Tests that a page of scores reads a limited number of rows through an index, even if the
 * organization has many scores.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { scannedMax } from '../../../api/results/bounded-page.ts'
import { storePacked } from '../../../consumers/storage/store-packed.ts'
import { aDecision, anEvaluation, aPackedRun, aRun, aScore } from '../../support/builders.ts'
import { createScene, storeRun } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene

interface List {
  readonly data: { name: string; value: number }[]
  readonly meta: { readonly next_cursor: string | null }
}

interface Summary {
  readonly series: { points: { n: number }[] }[]
  readonly meta: { cut: Record<string, unknown> }
}

const rowsOfMany = scannedMax + 500

beforeAll(async () => {
  scene = await createScene()
  const owner = aDecision({ organization_id: scene.organizationId })
  const [oldest, common] = [aScore({ name: 'rare', value: 9 }), aScore({ name: 'common' })]
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000)
  await storeRun(scene.database, { ...owner, evaluated_at: hours(9) }, aRun({ scores: [oldest] }))
  await storeRun(scene.database, { ...owner, evaluated_at: hours(2) }, aRun({ scores: [common] }))
  await scene.database.query(
    `insert into later_scores
     select (json_populate_record(s, json_build_object('score_id', gen_random_uuid()))).*
       from later_scores s, generate_series(2, $2) where score_id = $1`,
    [common.score_id, rowsOfMany]
  )
  await scene.database.query('analyze later_scores')
})

test('ends a page where the scan stopped if few rows match', async () => {
  const path = '/v1/evaluation/scores?data_type=boolean&passed=true&evaluator_id=none&limit=10'
  const first = (await scene.get<List>(path)).body
  expect(first.data).toEqual([])
  expect(first.meta.next_cursor).not.toBeNull()
  const next: Answer<List> = await scene.get<List>(`${path}&cursor=${first.meta.next_cursor}`)
  expect(next.body).toMatchObject({ data: [], meta: { next_cursor: null } })
  const rare = (await scene.get<List>('/v1/evaluation/scores?name=rare')).body
  expect(rare).toMatchObject({ data: [{ name: 'rare' }], meta: { next_cursor: null } })
})

test('reports no cut in a summary that scanned all scores', async () => {
  const { body } = await scene.get<Summary>('/v1/evaluation/scores/summary?interval=none')
  expect(body.series.map(({ points }) => points[0]?.n).toSorted()).toEqual([1, rowsOfMany])
  expect(body.meta.cut).toEqual({ scores_since: null, runs_since: null, groups: false })
})

test('lists a rare score before older scores of another table', async () => {
  const evaluated_at = Date.now() - 20 * 3_600_000
  const packed = [1, 2].map((value) => {
    const owner = { organization_id: scene.organizationId, decision_id: randomUUID() }
    const runs = [aPackedRun({ value: 9 + value })]
    return anEvaluation({ ...owner, evaluated_at, runs, later_runs: [] })
  })
  await storePacked(scene.database, packed)
  const path = '/v1/evaluation/scores?value_min=9&limit=1'
  const values: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: List = (await scene.get<List>(`${path}${cursor && `&cursor=${cursor}`}`)).body
    values.push(...page.data.map(({ value }) => value))
    cursor = page.meta.next_cursor
  }
  expect(values[0]).toBe(9)
  expect(values.slice(1).toSorted()).toEqual([10, 11])
})

test.each([
  ['evaluation/scores?limit=10', 'later_scores_by_time'],
  ['evaluation/scores?name=rare', 'later_scores_by_name'],
  ['evaluation/scores?agent_id=a', 'later_scores_by_time']
])('serves %s from the index %s', async (path, index) => {
  const before = scene.statementTexts.length
  await scene.get(`/v1/${path}`)
  const asked = scene.statementTexts
    .slice(before)
    .find((statement) => statement.includes('from later_scores'))
  const plan = await scene.database.query<{ 'QUERY PLAN': string }>(
    `explain ${explained(asked ?? '')}`
  )
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(index)
})

/**
 * Replaces parameters with literals, because the statement is explained without parameter values.
 */
function explained(statement: string): string {
  return statement
    .replaceAll(/organization_id = \$\d+/g, `organization_id = '${scene.organizationId}'`)
    .replaceAll(/\$\d+::timestamptz/g, "'2026-01-01'::timestamptz")
    .replaceAll(/\$\d+(::text)?/g, "'rare'")
}
