/** Finds the record that the store refuses, so that its neighbours are stored. */
import { deadLetter, TransientError } from '../../core/consumed.ts'
import type { Consumed } from '../../core/consumed.ts'
import { isTransientStoreError, sqlStateOf } from '../../platform/postgres.ts'
import type { HandleBatch } from '../run-consumer.ts'

/**
 * Stores the whole batch, or by halves when the store refuses it for good, down to the one record
 * at fault. A half is a transaction of its own: what was stored before is a duplicate the next
 * time.
 * @throws {TransientError} when the store is away.
 */
export function bisecting<T>(store: HandleBatch<T>): HandleBatch<T> {
  return async function storeBisecting(values): Promise<readonly Consumed[]> {
    if (values.length === 0) return []
    try {
      return await store(values)
    } catch (error) {
      if (isTransientStoreError(error)) {
        throw new TransientError(`the store does not take the batch: ${describe(error)}`, {
          cause: error
        })
      }
      // Only the store's own word condemns a record; anything else is a bug, and not the record's.
      if (sqlStateOf(error) === null) throw error
      if (values.length === 1) return [deadLetter('store', 'refused_by_store', describe(error))]
    }
    const middle = Math.ceil(values.length / 2)
    const left = await storeBisecting(values.slice(0, middle))
    return [...left, ...(await storeBisecting(values.slice(middle)))]
  }
}

/** The server's message may quote a value, so only its SQLSTATE is kept. */
function describe(error: unknown): string {
  const state = sqlStateOf(error)
  return state === null ? String((error as Error).name) : `SQLSTATE ${state}`
}
