/** Tests the parsing of query strings and bodies of decision lists. */
import { expect, test } from '@jest/globals'
import { filterTextsOf } from '../../../../api/decisions/list-query.ts'
import { readListQuery, readSearch } from '../../../../api/decisions/list-query.ts'
import type { ListQuery } from '../../../../api/decisions/list-query.ts'
import { problemOf } from '../fakes.ts'

test('parses a query string and an equivalent body to the same query', () => {
  const list = readListQuery({
    ...{ from: '-24h', domain: ['a'], score: ['n:ge:0.5', 'x:y:failed'] },
    ...{ 'metadata.tier': 'gold', 'metadata.a.b': '1', limit: 10, sort: 'received_at' }
  })
  const search = readSearch({
    ...{ sort: 'received_at', limit: 10, metadata: { tier: 'gold', 'a.b': '1' }, from: '-24h' },
    score: [
      { name: 'n', op: 'ge', value: 0.5 },
      { name: 'x:y', op: 'failed' }
    ],
    domain: ['a']
  })
  expect(list).toEqual(search)
  expect(filterTextsOf(list)).toEqual(filterTextsOf(search))
})

test('applies defaults to absent parameters', () => {
  expect(readListQuery({})).toEqual({
    ...{ filters: {}, sort: '-received_at', include: [], count: null, limit: 50 }
  })
})

const labels = Object.fromEntries([...'abcdef'].map((name) => [`metadata.${name}`, '1']))

test.each<[pointer: string, query: ListQuery]>([
  ['/score/1', { score: ['a:passed', 'a'] }],
  ['/metadata', labels],
  ['/sort', { sort: 'decision_id' }],
  ['/sort', { sort: '-score:' }],
  ['/q', { q: ' ' }],
  ['/q', { q: 'a b c d e f g h i j k' }],
  ['/limit', { include: ['input'], limit: 51 }]
])('refuses %s', async (pointer, query) => {
  const { code, options } = await problemOf(() => readListQuery(query))
  expect([code, options.errors?.map((error) => error.pointer)]).toEqual([
    'invalid_query',
    [pointer]
  ])
})

test('names the score condition with an invalid value', async () => {
  const score = [{ name: 'n', op: 'gt', value: 'high' }] as const
  const { options } = await problemOf(() => readSearch({ score }))
  expect(options.errors?.map((error) => error.pointer)).toEqual(['/score/0/value'])
})
