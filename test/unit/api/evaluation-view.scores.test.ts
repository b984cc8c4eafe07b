/** Tests scores by name: the newest score of each source, and which of them counts. */
import { expect, test } from '@jest/globals'
import { newestFirst } from '../../../api/evaluation-run.ts'
import type { EvaluationRun } from '../../../api/evaluation-run.ts'
import { scoresByName } from '../../../api/evaluation-view.ts'
import { aScore } from '../../support/builders.ts'
import { now, runOf } from './samples.ts'

function runBy(source_kind: string, value: number, members: Partial<EvaluationRun> = {}) {
  const score = { ...aScore({ name: 'polite', value, passed: value > 0.5 }), source_kind }
  return runOf({ ...members, scores: [score] })
}

const at = (seconds: number) => ({ evaluated_at: new Date(now + seconds * 1000) })

test('shows the latest score of a source, in any order of runs', () => {
  const runs = [runBy('evaluator', 0.9, at(2)), runBy('evaluator', 0.1, at(1))]
  expect(scoresByName(runs)['polite']).toMatchObject({ value: 0.9, other_sources: {} })
  expect(scoresByName(runs.toReversed())['polite']).toMatchObject({ value: 0.9 })
})

test('picks the same score as score sums among scores of the same time', () => {
  const runs = ['b', 'a', 'c'].map((score_id) => {
    const run = runBy('human', 1, at(1))
    return { ...run, scores: run.scores.map((score) => ({ ...score, score_id })) }
  })
  for (const given of [runs, runs.toReversed()]) {
    expect(scoresByName(given)['polite']).toMatchObject({ score_id: 'c' })
    expect(newestFirst(given).map((run) => run.scores[0]?.score_id)).toEqual(['c', 'b', 'a'])
  }
})

test('counts a human score first, then an evaluator, the API and end users', () => {
  const all = ['end_user', 'api', 'evaluator', 'human']
  for (let count = all.length; count > 0; count--) {
    const sources = all.slice(0, count)
    const entry = scoresByName(sources.map((source, index) => runBy(source, index)))['polite']
    const effective = ['human', 'evaluator', 'api', 'end_user'].find((s) => sources.includes(s))
    expect(entry).toMatchObject({
      effective_source: effective,
      effective_value: sources.indexOf(effective ?? '')
    })
    expect(Object.keys(entry?.other_sources ?? {})).toHaveLength(count - 1)
  }
})

test('counts the label if there is no value, and shows an unknown source', () => {
  const run = runBy('oracle', 1)
  const label = {
    ...run,
    scores: run.scores.map((score) => ({ ...score, value: null, label: 'x' }))
  }
  expect(scoresByName([label])['polite']).toMatchObject({
    source_kind: 'oracle',
    effective_value: 'x'
  })
})

test.each([
  [null, null],
  ['[{"path":"$.output"}]', [{ path: '$.output' }]],
  ['no JSON', null]
])('shows evidence %j as %j', (evidence, shown) => {
  const run = runBy('evaluator', 1)
  const scores = run.scores.map((score) => ({ ...score, evidence }))
  expect(scoresByName([{ ...run, scores }])['polite']?.evidence).toEqual(shown)
})
