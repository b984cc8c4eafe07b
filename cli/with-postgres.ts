/** Postgres for the time of one command. */
import { createPostgres, sqlStateOf } from '../platform/postgres/postgres.ts'
import type { Postgres } from '../platform/postgres/postgres.ts'

export interface DatabaseConfig {
  readonly DATABASE_URL: string
  readonly DATABASE_TLS_CA: string | null
}

const statementTimeoutDefaultMs = 10_000

/** Runs `work` and closes the connection, whatever becomes of it. */
export async function withPostgres<T>(
  config: DatabaseConfig,
  work: (postgres: Postgres) => Promise<T>,
  statementTimeoutMs = statementTimeoutDefaultMs
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
  } catch (error) {
    throw withAdvice(error)
  } finally {
    await postgres.close()
  }
}

/** Tables or columns that are not there. */
const unmigrated = new Set(['42P01', '42703'])
/** Errors of a connection, by the names that Node and the server give them. */
const connectionExpression = /^(E[A-Z]+|28|3D|08|57P)/

/** What an operator can do about it; an error of another kind stays as it is. */
function withAdvice(error: unknown): unknown {
  if (unmigrated.has(sqlStateOf(error) ?? '')) {
    return new Error('the database is not up to date; sluice migrate brings it there', {
      cause: error
    })
  }
  if (!connectionExpression.test(codeOf(error))) return error
  return new Error('Postgres cannot be used; does it run, and is DATABASE_URL right?', {
    cause: error
  })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
