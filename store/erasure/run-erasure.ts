/** Does an erasure to its end, from wherever it was left. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isTransientStoreError } from '../../platform/postgres/postgres.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { DoomedCounts } from './count-doomed.ts'
import { eraseChunk } from './erase-chunk.ts'
import { finishErasure } from './erasure-table.ts'
import type { Erasure } from './erasure-table.ts'

const attemptsMax = 10
const pauseMs = 200

/** Calls `onProgress` with what each transaction has deleted; resolves with the whole record. */
export async function runErasure(
  postgres: Postgres,
  erasure: Erasure,
  onProgress: (counts: DoomedCounts) => void
): Promise<Erasure> {
  for (;;) {
    const counts = await eraseChunkPatiently(postgres, erasure)
    if (counts === null) return await finishErasure(postgres, erasure.erasure_id)
    onProgress(counts)
  }
}

/** Others move rows of the same tables, and may be in the way for a moment. */
async function eraseChunkPatiently(postgres: Postgres, erasure: Erasure) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await eraseChunk(postgres, erasure)
    } catch (error) {
      if (attempt === attemptsMax || !isTransientStoreError(error)) throw error
      await sleep(pauseMs)
    }
  }
}
