/** Tests which subjects an erasure rule covers, and up to which time. */
import { describe, expect, test } from '@jest/globals'
import { createIsErased } from '../../../../core/decision/erasure.ts'
import type { ErasureRule, ErasureSubject } from '../../../../core/decision/erasure.ts'
import { aDecision, noon } from '../../../support/builders.ts'

const decision = aDecision({ agent_id: 'agent', session_id: 'session' })
const { organization_id, decision_id } = decision

function rule(overrides: Partial<ErasureRule>): ErasureRule {
  const received_until = new Date(noon)
  return { organization_id, scope: 'session', subject: 'session', received_until, ...overrides }
}

test('nothing is erased without rules', () => {
  expect(createIsErased([])(decision)).toBe(false)
})

test.each([
  ['the decision', { scope: 'decision', subject: decision_id }],
  ['its session', { scope: 'session', subject: 'session' }],
  ['its agent', { scope: 'agent', subject: 'agent' }],
  ['its organization', { scope: 'organization', subject: null }]
] as const)('a rule for %s covers the decision', (_what, overrides) => {
  expect(createIsErased([rule(overrides)])(decision)).toBe(true)
})

describe('a rule does not cover', () => {
  const cases: [string, Partial<ErasureRule>, Partial<ErasureSubject>][] = [
    ['a decision received later', {}, { received_at: noon + 1 }],
    ['another session', { subject: 'another' }, {}],
    ['an agent with the name of the session', { scope: 'agent' }, {}],
    ['another organization', { organization_id: 'another' }, {}],
    ['all decisions of another organization', { organization_id: 'x', scope: 'organization' }, {}],
    ['a decision without a session', {}, { session_id: null }],
    ['a decision without an agent', { scope: 'agent', subject: 'agent' }, { agent_id: null }]
  ]
  test.each(cases)('%s', (_what, overrides, subject) => {
    expect(createIsErased([rule(overrides)])({ ...decision, ...subject })).toBe(false)
  })
})

test('of two rules for one subject the later time counts, in any order', () => {
  const rules = [rule({}), rule({ received_until: new Date(noon + 10) })]
  const late = { ...decision, received_at: noon + 10 }
  expect(createIsErased(rules)(late)).toBe(true)
  expect(createIsErased(rules.toReversed())(late)).toBe(true)
})
