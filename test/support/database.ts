/** A database for each test file: a copy of the migrated one, gone when the file ends. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { onEnd } from './cleanup.ts'
import { createDatabase, dropDatabase } from './create-database.ts'
import { services } from './services.ts'

export type Row = Record<string, unknown>

export type TestDatabase = {
  /** What a process is given as DATABASE_URL. */
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
  // A test may freeze or end the server under an idle connection.
  pool.on('error', () => {})
  onEnd(() => pool.end())
  return {
    url,
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) =>
      (await pool.query<R>(statement, [...values])).rows
  }
}
