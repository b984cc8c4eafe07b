/** Erasures table: records, extends and selects erasures. Each row holds the request, the rule and
 * the progress of an erasure.
 */
import { erasuresLockKey } from '../../core/decision/erasure.ts'
import type { ErasureRule } from '../../core/decision/erasure.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { retry } from '../../platform/process/retry.ts'
import { sqlStateOf } from '../../platform/postgres/postgres.ts'
import type { Postgres, Queryable, Row } from '../../platform/postgres/postgres.ts'

export interface Erasure extends ErasureRule, Row {
  readonly erasure_id: string
  readonly requested_at: Date
  readonly requested_by: string
  readonly reason: string | null
  /** Null while there are decisions left to erase. */
  readonly finished_at: Date | null
  readonly decisions: number
  readonly evaluation_runs: number
  readonly scores: number
}

export type NewErasure = Pick<
  Erasure,
  'organization_id' | 'scope' | 'subject' | 'requested_by' | 'reason'
>

const lockNotAvailable = '55P03'
/**
 * Maximum time a transaction waits for the lock. It is short, because storage transactions queue
 * behind the waiting one.
 */
const lockTimeoutMs = 1000
const lockAttempts = 30

/**
 * Records the rule like `writeErasure`, but retries while storage holds the lock.
 * @throws if storage still holds the lock after all attempts
 */
export async function beginErasure(postgres: Postgres, erasure: NewErasure): Promise<Erasure> {
  const write = () => postgres.transaction((transaction) => writeErasure(transaction, erasure))
  try {
    return await retryWhileLocked(write, lockAttempts)
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause
    throw new Error(
      'storage does not end its transactions, so the erasure was not recorded; check storage ' +
        'and retry',
      { cause }
    )
  }
}

/**
 * Retries a transaction that calls `writeErasure`, because a storage transaction can outlast the
 * lock timeout when storage is busy.
 * @throws the error of the last attempt
 */
export function retryWhileLocked<T>(write: () => Promise<T>, attemptsMax: number): Promise<T> {
  return retry({ backoff: lockTimeoutMs, isTransient: isLockTimeout, attemptsMax }, write)
}

/** Checks whether the error or its cause is a lock timeout. */
function isLockTimeout(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : []
  return causes.some((each) => sqlStateOf(each) === lockNotAvailable)
}

/**
 * Records the rule. Storage applies it as soon as this transaction commits. If the same erasure is
 * unfinished, extends it to the current time instead.
 * @throws `55P03` if storage does not release the lock in time
 */
export async function writeErasure(transaction: Queryable, erasure: NewErasure): Promise<Erasure> {
  await transaction.query(`set local lock_timeout = ${lockTimeoutMs}`)
  await transaction.query(`select pg_advisory_xact_lock($1)`, [erasuresLockKey])
  return (await extendUnfinished(transaction, erasure)) ?? (await insert(transaction, erasure))
}

/**
 * Value of `received_until`. It is computed under the lock, so every decision that is already
 * stored was received earlier. It is rounded up to the next millisecond, because a Date has no
 * finer resolution.
 */
const moment = `date_trunc('milliseconds', clock_timestamp() + interval '1 millisecond')`

function valuesOf({ organization_id, scope, subject, requested_by, reason }: NewErasure) {
  return [organization_id, scope, subject, requested_by, reason]
}

async function extendUnfinished(transaction: Queryable, erasure: NewErasure) {
  const [row] = await transaction.query<Erasure>(
    `update erasures set received_until = greatest(received_until, ${moment})
      where organization_id = $1 and scope = $2 and subject is not distinct from $3
        and requested_by = $4 and reason is not distinct from $5 and finished_at is null
     returning *`,
    valuesOf(erasure)
  )
  return row
}

async function insert(transaction: Queryable, erasure: NewErasure): Promise<Erasure> {
  const [row] = await transaction.query<Erasure>(
    `insert into erasures (organization_id, scope, subject, requested_by, reason, erasure_id,
                           received_until, requested_at)
     select $1, $2, $3, $4, $5, $6, moment, moment from ${moment} as moment
     returning *`,
    [...valuesOf(erasure), uuidv7(systemClock.now())]
  )
  if (row === undefined) throw new Error('the erasure was not inserted')
  return row
}

/**
 * Returns the erasures of one organization, or of all organizations if `organizationId` is null,
 * oldest first.
 */
export function selectErasures(
  postgres: Queryable,
  organizationId: string | null
): Promise<Erasure[]> {
  return postgres.query<Erasure>(
    `select * from erasures where $1::uuid is null or organization_id = $1
      order by requested_at, erasure_id`,
    [organizationId]
  )
}

/** Returns up to 100 unfinished erasures of all organizations, oldest first. */
export function selectUnfinished(postgres: Queryable): Promise<Erasure[]> {
  return postgres.query<Erasure>(
    `select * from erasures where finished_at is null order by requested_at, erasure_id limit 100`
  )
}

/**
 * Locks and returns the row. Other transactions cannot run or extend the erasure until this one
 * ends.
 */
export async function lockErasure(transaction: Queryable, erasureId: string): Promise<Erasure> {
  const [row] = await transaction.query<Erasure>(
    `select * from erasures where erasure_id = $1 for update`,
    [erasureId]
  )
  if (row === undefined) throw new Error(`erasure ${erasureId} does not exist`)
  return row
}

export async function finishErasure(postgres: Queryable, erasureId: string): Promise<Erasure> {
  const [row] = await postgres.query<Erasure>(
    `update erasures set finished_at = coalesce(finished_at, now())
      where erasure_id = $1 returning *`,
    [erasureId]
  )
  if (row === undefined) throw new Error(`erasure ${erasureId} does not exist`)
  return row
}
