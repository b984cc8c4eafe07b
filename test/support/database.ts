/** Creates a database for a test file as a copy of the migrated template, and drops it afterwards.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { onEnd } from './cleanup.ts'
import { createDatabase, dropDatabase } from './create-database.ts'
import { services } from './services.ts'

export type Row = Record<string, unknown>

export type TestDatabase = {
  /** Value for DATABASE_URL. */
  readonly url: string
  query<R extends Row>(statement: string, values?: readonly unknown[]): Promise<R[]>
}

const connectionsMax = 3

export async function createTestDatabase(): Promise<TestDatabase> {
  const { addresses, templateDatabase } = services()
  const name = `sluice_${randomUUID().replaceAll('-', '')}`
  const url = await createDatabase(addresses.databaseUrl, name, templateDatabase)
  onEnd(() => dropDatabase(addresses.databaseUrl, name))
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax })
  // Ignore errors of idle connections: a test may suspend or kill the server.
  pool.on('error', () => {})
  onEnd(() => pool.end())
  return {
    url,
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) =>
      (await pool.query<R>(statement, [...values])).rows
  }
}
