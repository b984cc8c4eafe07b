/** The record of what was asked to be erased, which is also the job that does it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { erasuresLockKey } from '../../core/decision/erasure.ts'
import type { ErasureRule } from '../../core/decision/erasure.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { sqlStateOf } from '../../platform/postgres/postgres.ts'
import type { Postgres, Queryable, Row } from '../../platform/postgres/postgres.ts'

export interface Erasure extends ErasureRule, Row {
  readonly erasure_id: string
  readonly requested_at: Date
  readonly requested_by: string
  readonly reason: string | null
  /** Null while there is more to erase. */
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
/** As long as somebody waits for the lock, storage waits behind him. */
const lockTimeoutMs = 1000
const lockAttempts = 30

/**
 * Writes the rule down, as `writeErasure` does, with patience for storage.
 * @throws when storage does not let go of its transactions.
 */
export async function beginErasure(postgres: Postgres, erasure: NewErasure): Promise<Erasure> {
  const write = () => postgres.transaction((transaction) => writeErasure(transaction, erasure))
  try {
    return await untilStorageLetsGo(write, lockAttempts)
  } catch (cause) {
    if (!isHeldByStorage(cause)) throw cause
    throw new Error('storage does not end its transactions; does it hang? Try again', { cause })
  }
}

/**
 * Repeats a transaction that has `writeErasure`: storage that is busy has always one under way that
 * takes longer than the lock is waited for.
 * @throws what the last attempt threw.
 */
export async function untilStorageLetsGo<T>(write: () => Promise<T>, attempts: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!isHeldByStorage(error) || attempt === attempts) throw error
      await sleep(lockTimeoutMs)
    }
  }
}

/** Also of a refusal that was made of it. */
function isHeldByStorage(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : []
  return causes.some((each) => sqlStateOf(each) === lockNotAvailable)
}

/**
 * Writes the rule down; once that is committed storage obeys it. The same that was not finished is
 * taken up again instead, and holds until now like a new one.
 * @throws `55P03` when storage does not let go of its transactions for a while.
 */
export async function writeErasure(transaction: Queryable, erasure: NewErasure): Promise<Erasure> {
  await transaction.query(`set local lock_timeout = ${lockTimeoutMs}`)
  await transaction.query(`select pg_advisory_xact_lock($1)`, [erasuresLockKey])
  return (await extendUnfinished(transaction, erasure)) ?? (await insert(transaction, erasure))
}

/**
 * Taken under the lock: whatever was stored before was received before. It is the next whole
 * millisecond, since a Date has no finer ones.
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
  if (row === undefined) throw new Error('the erasure was not written down')
  return row
}

/** Of one organization, or of all; the oldest first. */
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

/** Of all organizations, the oldest first, a few of them. */
export function selectUnfinished(postgres: Queryable): Promise<Erasure[]> {
  return postgres.query<Erasure>(
    `select * from erasures where finished_at is null order by requested_at, erasure_id limit 100`
  )
}

/** As it is now; nobody else carries it out, or extends it, before the transaction has ended. */
export async function lockErasure(transaction: Queryable, erasureId: string): Promise<Erasure> {
  const [row] = await transaction.query<Erasure>(
    `select * from erasures where erasure_id = $1 for update`,
    [erasureId]
  )
  if (row === undefined) throw new Error(`there is no erasure ${erasureId}`)
  return row
}

export async function finishErasure(postgres: Queryable, erasureId: string): Promise<Erasure> {
  const [row] = await postgres.query<Erasure>(
    `update erasures set finished_at = coalesce(finished_at, now())
      where erasure_id = $1 returning *`,
    [erasureId]
  )
  if (row === undefined) throw new Error(`there is no erasure ${erasureId}`)
  return row
}
