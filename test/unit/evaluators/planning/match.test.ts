/** Tests rule matching: id patterns, metadata texts, and the condition that fails. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { RuleMatch } from '../../../../core/evaluation/rule.ts'
import { createMatch } from '../../../../evaluators/planning/match.ts'
import { metadataTextsOf } from '../../../../evaluators/planning/metadata-texts.ts'
import { aDecision } from '../../../support/builders.ts'

const refund = aDecision({ metadata: '{"tier":"gold","n":12.50,"vip":true}' })

function mismatchOf(match: RuleMatch, decision = refund) {
  return createMatch(match)(decision, metadataTextsOf(decision.metadata))
}

test('matches every decision if there are no conditions', () => {
  expect(mismatchOf({})).toBeNull()
  const bare = aDecision({ domain: null, agent_id: null, session_id: null, metadata: null })
  expect(mismatchOf({ domains: ['x', '*'], agent_ids: ['*'] }, bare)).toBeNull()
  expect(mismatchOf({ metadata: {} }, bare)).toBeNull()
})

test('returns the first condition that fails', () => {
  expect(mismatchOf({ domains: ['billing'], agent_ids: ['x'] })).toBe('domain')
  expect(mismatchOf({ domains: ['refunds'], agent_ids: ['x'] })).toBe('agent_id')
  expect(mismatchOf({ session_ids: ['ticket-'] })).toBe('session_id')
  expect(mismatchOf({ metadata: { tier: ['silver'] } })).toBe('metadata')
  expect(mismatchOf({ domains: ['refund?'] })).toBe('domain')
  expect(mismatchOf({ domains: ['*'] }, aDecision({ domain: null }))).toBeNull()
  expect(mismatchOf({ domains: ['refunds'] }, aDecision({ domain: null }))).toBe('domain')
})

test.each(['refunds', 'ref*', '*nds', '*', 'r*f*s', '*fun*', 'refunds*', '**', 'r**s'])(
  'matches refunds with %s',
  (pattern) => expect(mismatchOf({ domains: ['other', pattern] })).toBeNull()
)

test.each(['Refunds', 'refund', 'r*x', 'refunds*s', '*refundss', 'refu*unds', ''])(
  'does not match refunds with %s',
  (pattern) => expect(mismatchOf({ domains: [pattern] })).toBe('domain')
)

test('compares metadata as text, with numbers as written', () => {
  expect(mismatchOf({ metadata: { tier: ['gold'], n: ['12.50'], vip: ['true'] } })).toBeNull()
  expect(mismatchOf({ metadata: { n: ['12.5'] } })).toBe('metadata')
  expect(mismatchOf({ metadata: { absent: ['x'] } })).toBe('metadata')
})

test('decodes escaped names and uses the last of duplicate names', () => {
  const decision = aDecision({ metadata: '{"ti\\u0065r":"gold","tier":"lead","__proto__":"p"}' })
  expect(mismatchOf({ metadata: { tier: ['lead'] } }, decision)).toBeNull()
  const proto = JSON.parse('{"__proto__":["p"]}') as Record<string, string[]>
  expect(mismatchOf({ metadata: proto }, decision)).toBeNull()
  expect(mismatchOf({ metadata: { constructor: ['x'] } }, decision)).toBe('metadata')
})

test('treats malformed metadata as a mismatch', () => {
  for (const metadata of ['[]', '"{"', '{', '{"a"', '17', '{"tier":']) {
    expect(mismatchOf({ metadata: { tier: ['gold'] } }, aDecision({ metadata }))).toBe('metadata')
  }
})

test('matches like the equivalent regular expression', () => {
  const letters = fc.stringMatching(/^[ab*]{0,8}$/)
  fc.assert(
    fc.property(letters, fc.stringMatching(/^[ab]{0,10}$/), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
      const found = mismatchOf({ domains: [pattern] }, aDecision({ domain: text })) === null
      return found === (expression.test(text) || pattern === '*')
    })
  )
})
