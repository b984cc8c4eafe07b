/** Tests, under row-level security, that reading a decision opens only one partition, and that
 * lists by agent, session or trace use the matching index.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { selectDecisionPage } from '../../../api/decisions/walk-decisions.ts'
import { selectDecision, selectStoredAt } from '../../../api/decisions/queries.ts'
import { createStore } from '../../../api/store.ts'
import type { OrganizationStore } from '../../../api/store.ts'
import { systemClock } from '../../../platform/process/clock.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { storeDecision } from './scene.ts'

const days = ['2026-01-10', '2026-01-11', '2026-01-12']

/**
 * Creates a store that runs EXPLAIN on each query and records the scanned partitions and the index
 * conditions.
 */
function createExplaining(database: TestDatabase, organizationId: string) {
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const ours = createStore(postgres).of(organizationId)
  const read: string[] = []
  const conditions: string[] = []
  const store: OrganizationStore = {
    ...ours,
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) => {
      const plan = await ours.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off) ${statement}`,
        values
      )
      const lines = plan.map((row) => row['QUERY PLAN'])
      const scans = lines.filter(
        (line) => line.includes(' on ') && !line.includes('never executed')
      )
      read.push(...scans.flatMap((line) => / on (decisions_\w+)/.exec(line)?.[1] ?? []))
      conditions.push(...lines.filter((line) => line.includes('Index Cond')))
      return ours.query<R>(statement, values)
    }
  }
  return { store, read, conditions }
}

async function createDays(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  for (const day of days) {
    await database.query(`select ensure_day_partition('decisions', $1::date)`, [day])
  }
  return database
}

test("reads only the partition of the decision's day", async () => {
  const database = await createDays()
  const organization_id = randomUUID()
  const received_at = Date.UTC(2026, 0, 11, 12)
  const decision = aDecision({ organization_id, received_at })
  await storeDecision(database, decision)
  const { store, read } = createExplaining(database, organization_id)

  const row = await selectDecision(store, decision.decision_id)
  expect(row).toMatchObject({ input: decision.input, received_at: new Date(received_at) })
  const storedAt = await selectStoredAt(store, decision.decision_id)
  expect(storedAt).toEqual(row?.stored_at)
  expect(read).toEqual(['decisions_20260111', 'decisions_20260111'])
  expect(await selectDecision(store, randomUUID())).toBeNull()
  expect(read).toHaveLength(2)
})

test('finds an agent, a session and a trace by an index, among many', async () => {
  const database = await createDays()
  const organization_id = randomUUID()
  await database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                            session_id, trace_id)
     select $1, gen_random_uuid(), '2026-01-11T00:00:00Z'::timestamptz + n * interval '1 second',
            '{}', '""', 'agent-' || n % 500, 'session-' || n % 500,
            'trace-' || n % 500
       from generate_series(1, 20000) as n`,
    [organization_id]
  )
  await database.query('analyze decisions')
  const { store, conditions } = createExplaining(database, organization_id)
  const range = { from: new Date('2026-01-10'), to: null }
  for (const [column, value] of [
    ['agent_id', 'agent-7'],
    ['session_id', 'session-7'],
    ['trace_id', 'trace-7']
  ] as const) {
    const order = { kind: 'time', descending: true } as const
    const query = { range, filters: { [column]: value }, order, after: null, limit: 100 }
    const { keys, next } = await selectDecisionPage(store, query, systemClock)
    expect([keys.length, next]).toEqual([40, null])
    expect(conditions.splice(0).join()).toContain(`(${column} = '${value}'::text)`)
  }
})
