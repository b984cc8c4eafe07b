/** Tests that a page deep in a list of runs starts at its cursor and does not read earlier rows. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { pageConditions } from '../../../api/results/bounded-page.ts'
import { query, raw, sql } from '../../../platform/postgres/sql.ts'
import { createTestDatabase } from '../../support/database.ts'

test.each(['run_id', 'score_id'])('uses the index for packed runs, by %s', async (id) => {
  const database = await createTestDatabase()
  const sort_key = '2026-01-02T03:04:05.000000Z'
  const after = { sort_key, id: `${randomUUID()}/${randomUUID()}` }
  const range = { from: new Date('2026-01-01T00:00:00Z'), to: null }
  const time = 'evaluated_at'
  const conditions = pageConditions({ range, after }, { time, id })
  const plan = await query<{ 'QUERY PLAN': string }>(
    database,
    sql`explain select * from packed_runs
         where organization_id = ${randomUUID()} and ${conditions}
         order by evaluated_at desc, decision_id desc, ${raw(id)} desc limit 10`
  )
  const lines = plan.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Index Cond'))
  expect(lines.join('\n')).toContain('ROW(evaluated_at, decision_id) <=')
})
