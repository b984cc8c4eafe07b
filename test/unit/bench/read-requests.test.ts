/** Tests that the requests of --reads take varying parameters from stored decisions. */
import { expect, test } from '@jest/globals'
import { readRequests } from '../../../bench/read-requests.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'

const rows = [1, 2, 3].map((index) => ({
  decision_id: `id-${index}`,
  session_id: `session-${index}`,
  word: `word${index}`
}))
const store = { query: async () => rows } as unknown as Postgres

test('creates requests without empty parameters', async () => {
  const requests = await readRequests(store)
  expect(requests.filter(({ isGoal }) => isGoal).length).toBeGreaterThan(8)
  for (const { pathOf } of requests) {
    for (const index of [0, 1, 2, 199]) {
      expect(pathOf(index)).toMatch(/^\/v1\/(decisions|evaluation|profiles)/)
      expect(pathOf(index)).not.toMatch(/undefined|=(&|$)|\/$/)
    }
  }
})

test('cycles through the stored decisions', async () => {
  const detail = (await readRequests(store)).find(({ what }) => what === 'detail')
  expect([0, 1, 2, 3].map((index) => detail?.pathOf(index))).toEqual([
    ...['/v1/decisions/id-1', '/v1/decisions/id-2', '/v1/decisions/id-3', '/v1/decisions/id-1']
  ])
})
