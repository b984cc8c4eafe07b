/** Tests that pages of agents have a stable order and contain each agent once. */
import { describe, expect, test } from '@jest/globals'
import { agentPage } from '../../../../api/profiles/agent-page.ts'
import type { SortValue } from '../../../../api/profiles/agent-page.ts'

function agents(values: Readonly<Record<string, SortValue>>) {
  return Object.entries(values).map(([agentId, sortValue]) => ({ agentId, sortValue }))
}

const some = agents({ a: 1, b: null, c: 3, d: 1, e: null })

test.each([
  ['-volume', 'cadbe'],
  ['volume', 'adcbe']
])('sorts unknown values last by %s', (sort, expected) => {
  const { page } = agentPage(some, { sort, limit: 10, filters: {} })
  expect(page.map(({ agentId }) => agentId).join('')).toBe(expected)
})

test.each([1, 2, 3])('lists each agent once in pages of %i', (limit) => {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const query = { sort: '-volume', limit, cursor, filters: {} }
    const { page, next_cursor } = agentPage(some, query)
    found.push(...page.map(({ agentId }) => agentId))
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(found.join('')).toBe('cadbe')
})

test('accepts the cursor of the longest possible names', () => {
  const longest = (first: string) => first + '🔑'.repeat(254)
  const named = ['a', 'b', 'c'].map((first) => {
    return { agentId: longest(first), sortValue: longest(first) }
  })
  const query = { sort: 'name', limit: 1, filters: {} }
  const cursor = agentPage(named, query).next_cursor ?? ''
  expect(agentPage(named, { ...query, cursor }).page).toEqual([named[1]])
})

describe('rejects a cursor', () => {
  const query = { sort: '-volume', limit: 1, filters: { q: 'a' } }
  const cursor = agentPage(some, query).next_cursor ?? ''
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    ['of another order', { ...query, cursor, sort: 'name' }],
    ['of other filters', { ...query, cursor, filters: { q: 'b' } }],
    ['that is malformed', { ...query, cursor: 'x' }],
    ['with members of other types', { ...query, cursor: forged([{}, 'a', 'hash']) }],
    ['with extra members', { ...query, cursor: forged([1, 'a', 'hash', 1]) }],
    ['that is too long', { ...query, cursor: 'a'.repeat(7000) }]
  ])('%s', (_what, wrong) => {
    expect(() => agentPage(some, wrong)).toThrow('/cursor')
  })
})
