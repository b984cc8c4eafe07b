/** Tests that each agent has a unique name in the API, and that the name converts back to the
 * stored agent id.
 */
import { expect, test } from '@jest/globals'
import { agentIdOf, agentNameOf } from '../../../../api/profiles/agent-name.ts'

test.each([
  ['', '_unattributed'],
  ['_unattributed', '__unattributed'],
  ['__unattributed', '___unattributed'],
  ['unattributed', 'unattributed'],
  ['refund-agent', 'refund-agent']
])('names agent %j %s', (id, name) => {
  expect(agentNameOf(id)).toBe(name)
  expect(agentIdOf(name)).toBe(id)
})
