/** Looking for one decision touches one partition, however many days there are. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { selectDecision, selectStoredAt } from '../../../gateway/api/decision-row.ts'
import type { Queryable, Row } from '../../../platform/postgres.ts'
import { aDecision } from '../../support/builders.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { storeDecision } from './scene.ts'

const days = ['2026-01-10', '2026-01-11', '2026-01-12']

/** The partitions that a query really read, by its own plan. */
function createExplaining(database: TestDatabase) {
  const read: string[] = []
  const store: Queryable = {
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) => {
      const plan = await database.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off) ${statement}`,
        values
      )
      const lines = plan.map((row) => row['QUERY PLAN'])
      const scans = lines.filter(
        (line) => line.includes(' on ') && !line.includes('never executed')
      )
      read.push(...scans.flatMap((line) => / on (decisions_\w+)/.exec(line)?.[1] ?? []))
      return database.query<R>(statement, values)
    }
  }
  return { store, read }
}

test('reads the partition of the day and no other', async () => {
  const database = await createTestDatabase()
  for (const day of days) {
    await database.query('select ensure_decisions_partition($1::date)', [day])
  }
  const organization_id = randomUUID()
  const received_at = Date.UTC(2026, 0, 11, 12)
  const decision = aDecision({ organization_id, received_at })
  await storeDecision(database, decision)
  const { store, read } = createExplaining(database)

  const row = await selectDecision(store, organization_id, decision.decision_id)
  expect(row).toMatchObject({ input: decision.input, received_at: new Date(received_at) })
  const storedAt = await selectStoredAt(store, organization_id, decision.decision_id)
  expect(storedAt).toEqual(row?.stored_at)
  expect(read).toEqual(['decisions_20260111', 'decisions_20260111'])
  expect(await selectDecision(store, organization_id, randomUUID())).toBeNull()
  expect(read).toHaveLength(2)
})
