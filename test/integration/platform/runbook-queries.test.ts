/** Tests that each SQL query of a runbook runs on the tables of the current schema. */
import { expect, test } from '@jest/globals'
import { blocksIn, pages, read } from '../../docs/pages.ts'
import { createTestDatabase } from '../../support/database.ts'

const runbooks = pages.filter((path) => path.startsWith('docs/guides/operations/runbooks/'))
const queries = runbooks
  .flatMap((path) => blocksIn(read(path), 'sql'))
  .flatMap((block) => block.split(';'))
  .map((query) => query.trim())
  .filter((query) => query !== '')

test('every query of a runbook runs', async () => {
  const database = await createTestDatabase()
  expect(queries.length).toBeGreaterThan(5)
  for (const query of queries) await expect(database.query(query)).resolves.toBeDefined()
})
