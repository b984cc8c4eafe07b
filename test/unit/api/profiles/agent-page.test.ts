/** Pages of agents: each once, in an order that is the same each time. */
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
])('sorted by %s: what is not known last', (sort, expected) => {
  const { page } = agentPage(some, { sort, limit: 10, filters: {} })
  expect(page.map(({ agentId }) => agentId).join('')).toBe(expected)
})

test.each([1, 2, 3])('pages of %i have each of them once', (limit) => {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const asked = { sort: '-volume', limit, cursor, filters: {} }
    const { page, next_cursor } = agentPage(some, asked)
    found.push(...page.map(({ agentId }) => agentId))
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(found.join('')).toBe('cadbe')
})

test('the longest names there may be have a cursor that is taken', () => {
  const longest = (first: string) => first + '🔑'.repeat(254)
  const named = ['a', 'b', 'c'].map((first) => {
    return { agentId: longest(first), sortValue: longest(first) }
  })
  const asked = { sort: 'name', limit: 1, filters: {} }
  const cursor = agentPage(named, asked).next_cursor ?? ''
  expect(agentPage(named, { ...asked, cursor }).page).toEqual([named[1]])
})

describe('refuses a cursor', () => {
  const asked = { sort: '-volume', limit: 1, filters: { q: 'a' } }
  const cursor = agentPage(some, asked).next_cursor ?? ''
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    ['of another order', { ...asked, cursor, sort: 'name' }],
    ['of other filters', { ...asked, cursor, filters: { q: 'b' } }],
    ['that is none', { ...asked, cursor: 'x' }],
    ['of something else', { ...asked, cursor: forged([{}, 'a', 'hash']) }],
    ['with more in it', { ...asked, cursor: forged([1, 'a', 'hash', 1]) }],
    ['that is too long', { ...asked, cursor: 'a'.repeat(7000) }]
  ])('%s', (_what, wrong) => {
    expect(() => agentPage(some, wrong)).toThrow('/cursor')
  })
})
