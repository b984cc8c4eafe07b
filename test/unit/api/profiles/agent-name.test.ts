/** Names of agents in the API: back and forth without meeting each other. */
import { expect, test } from '@jest/globals'
import { agentIdOf, agentNameOf } from '../../../../api/profiles/agent-name.ts'

test.each([
  ['', '_unattributed'],
  ['_unattributed', '__unattributed'],
  ['__unattributed', '___unattributed'],
  ['unattributed', 'unattributed'],
  ['refund-agent', 'refund-agent']
])('%j is called %s', (id, name) => {
  expect(agentNameOf(id)).toBe(name)
  expect(agentIdOf(name)).toBe(id)
})
