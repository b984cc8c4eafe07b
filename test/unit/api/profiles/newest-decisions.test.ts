/** Tests that a sample of an agent contains its newest decisions. */
import { expect, test } from '@jest/globals'
import { selectSample } from '../../../../api/profiles/newest-decisions.ts'
import type { OrganizationStore } from '../../../../api/store.ts'

const range = { from: 0, to: 3_600_000, hoursOver: 1 }

test.each([
  ['an agent', 'a'],
  ['decisions without an agent', '']
])('sorts the decisions before each limit: %s', async (_whose, agentId) => {
  const statements: string[] = []
  const query = (statement: string) => {
    statements.push(statement)
    return Promise.resolve([])
  }
  const store = { organizationId: 'o', query } as unknown as OrganizationStore
  await selectSample({ store, agentId, range })
  const ordered = /order by received_at desc, decision_id desc\s+limit/g
  expect(statements[0]?.match(ordered)).toHaveLength(statements[0]?.match(/limit/g)?.length ?? 0)
})
