/** Finds the record that the store refuses, so that its neighbours are stored. */
import { deadLetter, FencedError, TransientError } from '../../core/consumed.ts'
import type { Consumed, DeadLetter } from '../../core/consumed.ts'
import { rootMessageOf } from '../../core/root-message.ts'
import type { MessageBatch } from '../../platform/kafka/message-consumer.ts'
import { isTransientStoreError, sqlStateOf } from '../../platform/postgres/postgres.ts'
import type { HandleBatch } from '../run-consumer.ts'
import type { Consumption } from '../record-consumed.ts'

/** One transaction: the values, and the offset that is reached with them. */
export type Store<T> = (
  values: readonly T[],
  consumption: Consumption
) => Promise<readonly Consumed[]>

/**
 * Stores the whole batch, or by halves when the store refuses it for good, down to the one record
 * at fault. A half is a transaction of its own: what was stored before is a duplicate the next
 * time. Halves record the offset at which the batch begins. The one at which it ends is recorded
 * after them, by a transaction without rows; so it is when nothing of the batch is decodable.
 * @throws {TransientError} when the store is away.
 * @throws {FencedError} when the partition is another member's by now.
 */
export function bisecting<T>(store: Store<T>, groupId: string): HandleBatch<T> {
  return async function storeBisecting(values, batch) {
    const epoch = await attempt(() => batch.epoch())
    // One that was taken late may be greater than that of whoever took over; this tells who did.
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

type StoreHalf<T> = (values: readonly T[]) => Promise<readonly Consumed[]>

/** `refusal` is what becomes of the last one left. */
async function storeHalves<T>(
  values: readonly T[],
  refusal: DeadLetter,
  store: StoreHalf<T>
): Promise<Consumed[]> {
  if (values.length <= 1) return values.map(() => refusal)
  const middle = Math.ceil(values.length / 2)
  const outcomes: Consumed[] = []
  for (const half of [values.slice(0, middle), values.slice(middle)]) {
    const stored = await attemptStore(() => store(half))
    outcomes.push(...('kind' in stored ? await storeHalves(half, stored, store) : stored))
  }
  return outcomes
}

/** @returns the outcomes, or the letter that a record gets which is refused for the same reason. */
async function attemptStore(
  work: () => Promise<readonly Consumed[]>
): Promise<readonly Consumed[] | DeadLetter> {
  try {
    return await attempt(work)
  } catch (error) {
    // Only the store's own word condemns a record; anything else is a bug, and not the record's.
    if (sqlStateOf(error) === null) throw error
    return deadLetter('store', 'refused_by_store', describe(error))
  }
}

async function attempt<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FencedError || !isTransientStoreError(error)) throw error
    throw new TransientError(`Postgres does not take the batch: ${describe(error)}`, {
      cause: error
    })
  }
}

/** The server's message may quote a value, so only its SQLSTATE is kept; a socket quotes none. */
function describe(error: unknown): string {
  const state = sqlStateOf(error)
  return state === null ? rootMessageOf(error) : `SQLSTATE ${state}`
}
