/** Tests the Kafka key of a decision, and the string that identifies a decision. */
import { expect, test } from '@jest/globals'
import { identityNameOf, keyOf } from '../../../../core/decision/decision.ts'
import { aDecision } from '../../../support/builders.ts'

const { decision_id } = aDecision()

test.each([
  ['agent', 'session', 'agent'],
  ['agent', null, 'agent'],
  [null, 'session', 'session'],
  ['', 'session', 'session'],
  [null, null, decision_id],
  ['', '', decision_id],
  [null, '', decision_id],
  [' ', null, ' '],
  ['0', null, '0']
])('for agent %j and session %j the key is %j', (agent_id, session_id, key) => {
  expect(keyOf(aDecision({ agent_id, session_id, decision_id }))).toBe(key)
})

test('the same id in two organizations gives two identities', () => {
  const decision = aDecision()
  const altered = { ...decision, output: 'another' }
  const foreign = { ...decision, organization_id: 'another' }
  expect(identityNameOf(altered)).toBe(identityNameOf(decision))
  expect(identityNameOf(foreign)).not.toBe(identityNameOf(decision))
})
