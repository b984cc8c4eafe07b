/** Postgres: a bounded pool, transactions, and which of its errors may pass. */
import pg from 'pg'
import { postgresAddressOf } from './postgres-tls.ts'

export interface PostgresOptions {
  readonly url: string
  /** PEM of the authorities to trust, instead of those of Node. */
  readonly ca?: string | null
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  readonly connectionsMax: number
  /** A statement that runs longer is ended by the server. */
  readonly statementTimeoutMs: number
}

export type Row = Record<string, unknown>

export interface Queryable {
  /** @returns the rows; values are parameters, never part of `statement`. */
  query<R extends Row>(statement: string, values?: readonly unknown[]): Promise<R[]>
}

export interface Postgres extends Queryable {
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const connectTimeoutMs = 2000
const idleTimeoutMs = 30_000
/** Beyond the server's own limit, so that a frozen server is noticed as well. */
const queryGraceMs = 1000

// A token count may pass 2^31 and never passes 2^53, so a bigint is safe as a number here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function createPostgres(options: PostgresOptions): Postgres {
  const pool = new pg.Pool({
    ...postgresAddressOf(options.url, options.ca ?? null),
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + queryGraceMs,
    keepAlive: true
  })
  // An idle connection that breaks is replaced; the next query tells its caller what it finds.
  pool.on('error', () => {})

  return {
    ...queryable(pool),
    transaction: (work) => runTransaction(pool, work),
    close: () => pool.end()
  }
}

function queryable(connection: pg.Pool | pg.PoolClient): Queryable {
  return {
    query: async <R extends Row>(statement: string, values?: readonly unknown[]) => {
      const { rows } = await connection.query<R>(statement, values && [...values])
      return rows
    }
  }
}

async function runTransaction<T>(pool: pg.Pool, work: (transaction: Queryable) => Promise<T>) {
  const client = await pool.connect()
  // The pool listens to idle connections only: unheard, one that breaks here would end the process.
  const ignore = (): void => {}
  client.on('error', ignore)
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(queryable(client))
    await client.query('commit')
    return result
  } catch (error) {
    broken = await rollBack(client)
    throw error
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

/** A connection that cannot roll back is thrown away, and with it the transaction. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** No partition takes the row: an operator's to mend, and no fault of the row. */
const missingPartition = '23514'
/** SQLSTATE classes that pass by themselves: connection, rollback, resources, operator, system. */
const transientClasses = new Set(['08', '25', '40', '53', '55', '57', '58'])

/** The SQLSTATE of an error the server answered with, or null when it did not answer. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/**
 * Whether trying again may help. An error without an SQLSTATE comes from the network or the pool.
 * A missing table or column (42) is an operator's to mend and must not condemn a single message.
 */
export function isTransientStoreError(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === null) return !(error instanceof TypeError || error instanceof RangeError)
  if (state === missingPartition || state.startsWith('42')) return true
  return transientClasses.has(state.slice(0, 2))
}
