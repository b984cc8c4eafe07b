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

/** Of a transaction: its role, and whose rows it is about. */
type Settings = Readonly<Record<string, string>>

export interface Queryable {
  /** @returns the rows; values are parameters, never part of `statement`. */
  query<R extends Row>(statement: string, values?: readonly unknown[]): Promise<R[]>
}

export interface Postgres extends Queryable {
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface PostgresPool extends Postgres {
  /**
   * Reads, each in a read-only transaction of its own in which these settings hold; they end with
   * it, so that the next user of the connection finds none of them. It costs one round trip.
   */
  reading(settings: Settings): Queryable
  /** Transactions, in each of which these settings hold from its first statement to its end. */
  changing(settings: Settings): Postgres['transaction']
}

const connectTimeoutMs = 2000
const idleTimeoutMs = 30_000
/**
 * A process that was stopped in the middle of a transaction holds its locks no longer than this;
 * nothing here thinks for so long between two statements.
 */
const idleTransactionTimeoutMs = 10_000
/** Beyond the server's own limit, so that a frozen server is noticed as well. */
const queryGraceMs = 1000
/**
 * Whoever hears that a transaction is committed acts on it, so a server that is killed in the next
 * moment must still know of it, however its database is set.
 */
const begin = 'begin; set local synchronous_commit = on'
/** The server's word for a connection that is in no transaction. */
const idle = 'I'

// A token count may pass 2^31 and never passes 2^53, so a bigint is safe as a number here.
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
    // Queries that nobody awaits between travel together; who awaits each notices nothing.
    pipeline: true
  })
  // An idle connection that breaks is replaced; the next query tells its caller what it finds.
  pool.on('error', () => {})

  return {
    ...queryable(pool),
    transaction: (work) => runTransaction(pool, work),
    reading: (settings) => readingUnder(pool, settings),
    changing: (settings) => changingUnder(pool, settings),
    close: () => pool.end()
  }
}

/** Of several statements in one text, each has its own. */
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

/** The names of the settings are values here as well: no text of theirs becomes a statement. */
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
        // The first that failed is why the others did. What was read without them is nobody's.
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
  // The pool listens to idle connections only: unheard, one that breaks here would end the process.
  const ignore = (): void => {}
  client.on('error', ignore)
  try {
    return await work(client)
  } finally {
    client.off('error', ignore)
    // A connection still in its transaction is thrown away, and with it the transaction.
    client.release(client.getTransactionStatus() !== idle)
  }
}

/**
 * SQLSTATE classes that say nothing about the row: connection, features, transaction state, login,
 * database, schema, rollback, objects that are missing (42, before a migration), resources, locks,
 * operator, system, configuration, internal. They pass, or an operator mends them.
 */
const transientClasses = new Set('08 0A 25 26 28 3D 3F 40 42 53 55 57 58 F0 XX'.split(' '))
const checkViolation = '23514'

/** The SQLSTATE of an error the server answered with, or null when it did not answer. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/**
 * Whether trying again may help. An error without an SQLSTATE comes from the network or the pool.
 * What is not transient (22 data, 23 integrity, 54 limits, …) is the fault of one of the rows.
 */
export function isTransientStoreError(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === null) return !(error instanceof TypeError || error instanceof RangeError)
  if (state === checkViolation) return isWithoutPartition(error as pg.DatabaseError)
  return transientClasses.has(state.slice(0, 2))
}

/**
 * That no partition takes a row, or no longer the one that did, is told as a violated check. One
 * of a table has a name, in whatever language the server speaks.
 */
function isWithoutPartition({ constraint }: pg.DatabaseError): boolean {
  return constraint === undefined
}
