/** Stores a batch, bisecting it if Postgres rejects a record. */
import { deadLetter, FencedError, TransientError } from '../../core/message-outcome.ts'
import type { MessageOutcome, DeadLetter } from '../../core/message-outcome.ts'
import { rootMessageOf } from '../../core/root-message.ts'
import type { MessageBatch } from '../../platform/kafka/message-consumer.ts'
import { isTransientPostgresError, sqlStateOf } from '../../platform/postgres/postgres.ts'
import type { HandleBatch } from '../consume-batch.ts'
import type { Consumption } from '../record-consumed.ts'

/** Stores values and the consumed offset in one transaction. */
export type StoreBatch<T> = (
  values: readonly T[],
  consumption: Consumption
) => Promise<readonly MessageOutcome[]>

/**
 * Stores the batch in one transaction. If Postgres permanently rejects a value, splits the batch
 * into halves, down to the rejected record, and stores each half in its own transaction. These
 * transactions record the start of the batch as the consumed offset; a final one records the end.
 * @throws {TransientError} if Postgres is unavailable
 * @throws {FencedError} if another member now has the partition
 */
export function bisecting<T>(store: StoreBatch<T>, groupId: string): HandleBatch<T> {
  return async function storeBisecting(values, batch) {
    const epoch = await attempt(() => batch.epoch())
    // If the partition was reassigned before this member took its epoch, that epoch may exceed the
    // epoch of the new owner. In that case, this heartbeat fails.
    await batch.heartbeat()
    const { begin, end } = consumptionsOf(batch, groupId, epoch)
    const stored = await attemptStore(() => store(values, end))
    if (!('kind' in stored)) return stored
    const outcomes = await storeHalves(values, stored, (half) => store(half, begin))
    await attempt(() => store([], end))
    return outcomes
  }
}

function consumptionsOf(batch: MessageBatch, groupId: string, epoch: number) {
  const { topic, partition, messages, nextOffset } = batch
  const place = { groupId, topic, partition, epoch }
  const begin: Consumption = { ...place, nextOffset: messages[0]?.offset ?? nextOffset }
  const end: Consumption = { ...place, nextOffset }
  return { begin, end }
}

type StoreHalf<T> = (values: readonly T[]) => Promise<readonly MessageOutcome[]>

/** @param rejection the outcome to return if a single value is left */
async function storeHalves<T>(
  values: readonly T[],
  rejection: DeadLetter,
  store: StoreHalf<T>
): Promise<MessageOutcome[]> {
  if (values.length <= 1) return values.map(() => rejection)
  const middle = Math.ceil(values.length / 2)
  const outcomes: MessageOutcome[] = []
  for (const half of [values.slice(0, middle), values.slice(middle)]) {
    const stored = await attemptStore(() => store(half))
    outcomes.push(...('kind' in stored ? await storeHalves(half, stored, store) : stored))
  }
  return outcomes
}

/** Returns the outcomes, or a dead-letter outcome if Postgres permanently rejects the values. */
async function attemptStore(
  work: () => Promise<readonly MessageOutcome[]>
): Promise<readonly MessageOutcome[] | DeadLetter> {
  try {
    return await attempt(work)
  } catch (error) {
    // Dead-letters a record only for an error from Postgres. Any other error is a bug.
    if (sqlStateOf(error) === null) throw error
    return deadLetter('store', 'refused_by_store', describe(error))
  }
}

async function attempt<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FencedError || !isTransientPostgresError(error)) throw error
    throw new TransientError(`Postgres cannot store the batch: ${describe(error)}`, {
      cause: error
    })
  }
}

/**
 * Describes an error without quoting stored values. The message of a server error may quote them,
 * so only its SQLSTATE is used.
 */
function describe(error: unknown): string {
  const state = sqlStateOf(error)
  return state === null ? rootMessageOf(error) : `SQLSTATE ${state}`
}
