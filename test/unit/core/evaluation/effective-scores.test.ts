/** Tests which of several scores with the same name is effective. */
import { expect, test } from '@jest/globals'
import { effectiveOf, newestScores } from '../../../../core/evaluation/effective-scores.ts'

function aGiven(source_kind: string, evaluated_at: number, score_id = 'a') {
  return { name: 'polite', source_kind, evaluated_at, score_id }
}

test('takes the newest score of each source, in any order', () => {
  const given = [aGiven('human', 1), aGiven('human', 3, 'b'), aGiven('human', 2), aGiven('api', 9)]
  for (const scores of [given, given.toReversed()]) {
    const sources = newestScores(scores).get('polite')
    expect(sources?.get('human')).toBe(given[1])
    expect(sources?.get('api')).toBe(given[3])
  }
})

test('takes the greater id of scores at the same time', () => {
  const given = ['b', 'c', 'a'].map((id) => aGiven('human', 1, id))
  expect(newestScores(given).get('polite')?.get('human')).toBe(given[1])
})

test('treats names of object properties like other names', () => {
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
