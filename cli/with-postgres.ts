/** Postgres for the time of one command. */
import { createPostgres } from '../platform/postgres.ts'
import type { Postgres } from '../platform/postgres.ts'

export interface DatabaseConfig {
  readonly DATABASE_URL: string
  readonly DATABASE_TLS_CA: string | null
}

const statementTimeoutMs = 10_000

/** Runs `work` and closes the connection, whatever becomes of it. */
export async function withPostgres<T>(
  config: DatabaseConfig,
  work: (postgres: Postgres) => Promise<T>
): Promise<T> {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: 'sluice-cli',
    connectionsMax: 1,
    statementTimeoutMs
  })
  try {
    return await work(postgres)
  } finally {
    await postgres.close()
  }
}
