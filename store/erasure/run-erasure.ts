/** Runs an erasure to completion, resuming where it was interrupted. */
import { isTransientPostgresError } from '../../platform/postgres/postgres.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { retry } from '../../platform/process/retry.ts'
import type { ErasureCounts } from './count-erasure-candidates.ts'
import { eraseChunk } from './erase-chunk.ts'
import { finishErasure } from './erasure-table.ts'
import type { Erasure } from './erasure-table.ts'

/** Other transactions change rows of the same tables and can briefly conflict. */
const retryOptions = { backoff: 200, attemptsMax: 10, isTransient: isTransientPostgresError }

/**
 * Runs the erasure and returns it when it is finished. Calls `onProgress` with the counts of each
 * transaction.
 */
export async function runErasure(
  postgres: Postgres,
  erasure: Erasure,
  onProgress: (counts: ErasureCounts) => void
): Promise<Erasure> {
  for (;;) {
    const counts = await retry(retryOptions, () => eraseChunk(postgres, erasure))
    if (counts === null) return await finishErasure(postgres, erasure.erasure_id)
    onProgress(counts)
  }
}
