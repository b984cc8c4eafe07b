/** A page deep in a list of runs begins where the one before it ended, and reads nothing above. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { pageConditions } from '../../../api/results/bounded-page.ts'
import { createTestDatabase } from '../../support/database.ts'

test.each(['run_id', 'score_id'])('of packed runs, by %s', async (id) => {
  const database = await createTestDatabase()
  const values: unknown[] = []
  const sort_key = '2026-01-02T03:04:05.000000Z'
  const after = { sort_key, id: `${randomUUID()}/${randomUUID()}` }
  const range = { from: new Date('2026-01-01T00:00:00Z'), to: null }
  const time = 'evaluated_at'
  const conditions = pageConditions({ range, after }, { time, id }, (value) => {
    return `$${values.push(value)}`
  })
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    `explain select * from packed_runs
      where organization_id = '${randomUUID()}' and ${conditions.join(' and ')}
      order by evaluated_at desc, decision_id desc, ${id} desc limit 10`,
    values
  )
  const lines = plan.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Index Cond'))
  expect(lines.join('\n')).toContain('ROW(evaluated_at, decision_id) <=')
})
