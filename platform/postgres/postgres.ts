/** Postgres: provides a bounded connection pool and transactions, and classifies errors. */
import pg from 'pg'
import { postgresAddressOf } from './postgres-tls.ts'

interface PostgresOptions {
  readonly url: string
  /** CA certificates (PEM) that replace those of Node.js. */
  readonly ca?: string | null
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string
  readonly connectionsMax: number
  /** Time after which the server cancels a statement. */
  readonly statementTimeoutMs: number
}

export type Row = Record<string, unknown>

/** Postgres parameters to set in a transaction, for example its role. */
type Settings = Readonly<Record<string, string>>

export interface Queryable {
  /**
   * @param values the values to send as parameters; they are never interpolated into `statement`
   * @returns the rows
   */
  query<R extends Row>(statement: string, values?: readonly unknown[]): Promise<R[]>
}

export interface Postgres extends Queryable {
  /** Runs `work` in a transaction. Commits when `work` returns; rolls back if it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface PostgresPool extends Postgres {
  /**
   * Runs each query in its own read-only transaction with these settings, in one round trip. The
   * settings end with the transaction, so the next user of the connection does not inherit them.
   */
  reading(settings: Settings): Queryable
  /** Returns a `transaction` function that applies these settings. */
  changing(settings: Settings): Postgres['transaction']
}

const connectTimeoutMs = 2000
const idleTimeoutMs = 30_000
/**
 * Limits how long a process that is suspended inside a transaction can hold locks. No code pauses
 * this long between two statements.
 */
const idleTransactionTimeoutMs = 10_000
/** Added to the server's statement timeout, so that the client also notices a frozen server. */
const queryGraceMs = 1000
/**
 * Forces synchronous commits. Callers act on a committed transaction, so it must survive a server
 * crash regardless of the database's settings.
 */
const begin = 'begin; set local synchronous_commit = on'
/** Transaction status of a connection outside of any transaction. */
const idle = 'I'

// Parses bigint as a number. A token count can exceed 2^31 but never 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function createPostgres(options: PostgresOptions): PostgresPool {
  const pool = new pg.Pool({
    ...postgresAddressOf(options.url, options.ca ?? null),
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    query_timeout: options.statementTimeoutMs + queryGraceMs,
    keepAlive: true,
    // Queries that are sent without awaiting the previous one share a round trip.
    pipeline: true
  })
  // Ignored, because the pool replaces a broken idle connection.
  pool.on('error', () => {})
  // The pool handles only errors of idle connections. An unhandled error would end the process. A
  // server can end a connection in the same packet that makes it ready, so this is the only event
  // that is early enough.
  pool.on('connect', (client) => void client.on('error', () => {}))

  return {
    ...queryable(pool),
    transaction: (work) => runTransaction(pool, work),
    reading: (settings) => readingUnder(pool, settings),
    changing: (settings) => changingUnder(pool, settings),
    close: () => pool.end()
  }
}

/** A query with several statements returns one result per statement. */
type Results<R extends Row> = pg.QueryResult<R> | pg.QueryResult<R>[]

function queryable(connection: pg.Pool | pg.PoolClient): Queryable {
  return {
    query: async <R extends Row>(statement: string, values?: readonly unknown[]) => {
      const result = (await connection.query<R>(statement, values && [...values])) as Results<R>
      return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows
    }
  }
}

async function runTransaction<T>(pool: pg.Pool, work: (transaction: Queryable) => Promise<T>) {
  return onConnection(pool, async (client) => {
    try {
      await client.query(begin)
      const result = await work(queryable(client))
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  })
}

/**
 * Returns a statement that applies all settings. The names are also parameters, so they cannot
 * inject SQL.
 */
function settingStatement(settings: Settings) {
  const entries = Object.entries(settings)
  const setters = entries.map(
    (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`
  )
  return { setAll: `select ${setters.join(', ')}`, values: entries.flat() }
}

function changingUnder(pool: pg.Pool, settings: Settings): Postgres['transaction'] {
  const { setAll, values: set } = settingStatement(settings)
  return (work) =>
    runTransaction(pool, async (transaction) => {
      await transaction.query(setAll, set)
      return work(transaction)
    })
}

function readingUnder(pool: pg.Pool, settings: Settings): Queryable {
  const { setAll, values: set } = settingStatement(settings)
  return {
    query: <R extends Row>(statement: string, values?: readonly unknown[]) =>
      onConnection(pool, async (client) => {
        const outcomes = await Promise.allSettled([
          client.query('begin read only'),
          client.query(setAll, set),
          client.query<R>(statement, values && [...values]),
          client.query('commit')
        ])
        // Throws the first failure, which caused the others. If the settings failed, rows that were
        // read without them must not be returned.
        const failed = outcomes.find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
        const read = outcomes[2]
        return read.status === 'fulfilled' ? read.value.rows : []
      })
  }
}

async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    // Discards the connection if it is still in a transaction.
    client.release(client.getTransactionStatus() !== idle)
  }
}

/**
 * SQLSTATE classes of errors that do not depend on the row: connection, features, transaction
 * state, prepared statements, login, database, schema, rollback, missing objects (42, before a
 * migration), resources, locks, operator, system, configuration, internal. Such errors resolve
 * themselves, or an operator fixes the cause.
 */
const transientClasses = new Set('08 0A 25 26 28 3D 3F 40 42 53 55 57 58 F0 XX'.split(' '))
const checkViolation = '23514'

/** Returns the SQLSTATE of a server error, or null if the server did not respond. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/**
 * Checks whether a retry can succeed. An error without an SQLSTATE comes from the network or the
 * pool, unless it is a TypeError or RangeError, which means that a value cannot be encoded. Errors
 * of other classes (22 data, 23 integrity, 54 limits, …) are caused by a row. The exception is a
 * row without a partition: it can be inserted once the partition exists.
 */
export function isTransientPostgresError(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === null) return !(error instanceof TypeError || error instanceof RangeError)
  if (state === checkViolation) return isWithoutPartition(error as pg.DatabaseError)
  return transientClasses.has(state.slice(0, 2))
}

/**
 * Checks whether the error means that no partition accepts the row. Postgres reports this as a
 * check violation without a constraint name; table checks always have one. The message is not
 * compared, because it depends on the server's language.
 */
function isWithoutPartition({ constraint }: pg.DatabaseError): boolean {
  return constraint === undefined
}
