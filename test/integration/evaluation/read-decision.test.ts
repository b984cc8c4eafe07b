/** Tests reading the decision of a run while the decision is being stored. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { readDecision } from '../../../consumers/evaluation/worker/read-decision.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

function aKey() {
  return { organization_id: randomUUID(), decision_id: randomUUID(), run_id: randomUUID() }
}

async function store(key: ReturnType<typeof aKey>, hasContent = true): Promise<void> {
  const values = [key.organization_id, key.decision_id]
  await database.query(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
     values ($1, $2, '2026-01-15T12:00:00Z', '')`,
    values
  )
  if (!hasContent) return
  await database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output)
     values ($1, $2, '2026-01-15T12:00:00Z', '1', '"yes"')`,
    values
  )
}

/** Runs `work` immediately after the first query. */
function afterFirst(work: () => Promise<void>): Queryable {
  let isFirst = true
  return {
    query: async (statement, values) => {
      const rows = await database.query(statement, values)
      if (isFirst) await work()
      isFirst = false
      return rows as never
    }
  }
}

test('finds a decision that is stored between two queries', async () => {
  const key = aKey()
  const found = await readDecision(
    afterFirst(() => store(key)),
    key
  )
  expect(found).toMatchObject({ input: '1', output: 'yes' })
})

test('reports an unstored decision as absent, and one without content as dropped', async () => {
  const [absent, dropped] = [aKey(), aKey()]
  expect(await readDecision(database, absent)).toBe('absent')
  await store(dropped, false)
  expect(await readDecision(database, dropped)).toBe('dropped')
})
