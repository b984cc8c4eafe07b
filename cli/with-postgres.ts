/** Opens a Postgres connection for one command. */
import { createPostgres, sqlStateOf } from '../platform/postgres/postgres.ts'
import type { Postgres } from '../platform/postgres/postgres.ts'

interface DatabaseConfig {
  readonly DATABASE_URL: string
  readonly DATABASE_TLS_CA: string | null
}

const statementTimeoutDefaultMs = 10_000

/** Runs `work`, then closes the connection even after an error. */
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

/** SQLSTATEs of missing tables and columns. */
const unmigrated = new Set(['42P01', '42703'])
/** Matches codes of connection errors: Node error codes and SQLSTATE classes. */
const connectionExpression = /^(E[A-Z]+|28|3D|08|57P)/

/** Adds advice to errors that an operator can fix. Returns other errors unchanged. */
function withAdvice(error: unknown): unknown {
  if (unmigrated.has(sqlStateOf(error) ?? '')) {
    return new Error('the database schema is outdated; run sluice migrate', {
      cause: error
    })
  }
  if (!connectionExpression.test(codeOf(error))) return error
  return new Error(
    'Postgres is not reachable; check that it runs and that DATABASE_URL is correct',
    {
      cause: error
    }
  )
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
