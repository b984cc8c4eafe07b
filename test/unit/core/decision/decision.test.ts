/** The key of a decision's record, and its identity as a name. */
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
])('of agent %j and session %j it is %j', (agent_id, session_id, key) => {
  expect(keyOf(aDecision({ agent_id, session_id, decision_id }))).toBe(key)
})

test('the same id in another organization is another identity', () => {
  const decision = aDecision()
  const altered = { ...decision, output: 'another' }
  const foreign = { ...decision, organization_id: 'another' }
  expect(identityNameOf(altered)).toBe(identityNameOf(decision))
  expect(identityNameOf(foreign)).not.toBe(identityNameOf(decision))
})
