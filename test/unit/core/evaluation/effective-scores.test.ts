/** Which of several scores of one name count. */
import { expect, test } from '@jest/globals'
import { effectiveOf, newestScores } from '../../../../core/evaluation/effective-scores.ts'

function aGiven(source_kind: string, evaluated_at: number, score_id = 'a') {
  return { name: 'polite', source_kind, evaluated_at, score_id }
}

test('of each source the newest, in whatever order they come', () => {
  const given = [aGiven('human', 1), aGiven('human', 3, 'b'), aGiven('human', 2), aGiven('api', 9)]
  for (const scores of [given, given.toReversed()]) {
    const sources = newestScores(scores).get('polite')
    expect(sources?.get('human')).toBe(given[1])
    expect(sources?.get('api')).toBe(given[3])
  }
})

test('of one instant the greater id', () => {
  const given = ['b', 'c', 'a'].map((id) => aGiven('human', 1, id))
  expect(newestScores(given).get('polite')?.get('human')).toBe(given[1])
})

test('a name that objects have anyway is a name', () => {
  const given = { ...aGiven('human', 1), name: '__proto__' }
  expect([...newestScores([given]).keys()]).toEqual(['__proto__'])
})

test.each([
  [['end_user', 'api', 'evaluator', 'human'], 'human'],
  [['end_user', 'api', 'evaluator'], 'evaluator'],
  [['robot', 'end_user', 'api'], 'api'],
  [['robot', 'end_user'], 'end_user'],
  [['robot'], 'robot']
])('of %j counts %s', (kinds, counts) => {
  expect(effectiveOf(new Map(kinds.map((kind) => [kind, kind])))).toBe(counts)
})
