/** The store as the reads see it: when it is away the answer is 503, never 500. */
import { Problem } from '../../core/problem.ts'
import { isTransientStoreError } from '../../platform/postgres.ts'
import type { Queryable, Row } from '../../platform/postgres.ts'

const retryAfterSeconds = '2'

/** @returns the same queries; a failure that may pass is thrown as a Problem. */
export function createStore(postgres: Queryable): Queryable {
  return {
    query: async <R extends Row>(statement: string, values?: readonly unknown[]) => {
      try {
        return await postgres.query<R>(statement, values)
      } catch (cause) {
        throw isTransientStoreError(cause) ? storeUnavailable(cause) : cause
      }
    }
  }
}

function storeUnavailable(cause: unknown): Problem {
  return new Problem('store_unavailable', {
    detail: 'The store does not answer; nothing is lost, try again shortly.',
    headers: { 'retry-after': retryAfterSeconds },
    cause
  })
}
