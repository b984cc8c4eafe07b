/** Erases a chunk of decisions in one transaction: rows, results and sums. */
import { deleteEvaluations } from '../delete-evaluations.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { ErasureCounts } from './count-erasure-candidates.ts'
import { deleteDecisions } from './delete-decisions.ts'
import { finishErasure, lockErasure } from './erasure-table.ts'
import type { Erasure } from './erasure-table.ts'
import { findErasureCandidates } from './find-erasure-candidates.ts'
import type { ErasureCandidates } from './find-erasure-candidates.ts'

/**
 * Erases one chunk. Locks tables in the order that storage uses: identities, decisions, hours,
 * results.
 * @returns the numbers of deleted rows, or null if nothing was left to erase
 */
export function eraseChunk(
  postgres: Postgres,
  { erasure_id }: Pick<Erasure, 'erasure_id'>
): Promise<ErasureCounts | null> {
  return postgres.transaction(async (transaction) => {
    // Serializes processes that run the same erasure. While this process waited, a repeated request
    // may have extended the erasure, or another process may have finished it.
    const erasure = await lockErasure(transaction, erasure_id)
    const { organization_id, received_until } = erasure
    const candidates =
      erasure.finished_at === null ? await findErasureCandidates(transaction, erasure) : []
    if (candidates.length === 0) {
      await finishErasure(transaction, erasure_id)
      return null
    }
    await upsertTombstones(transaction, { organization_id, candidates, received_until })
    const decisions = await deleteDecisions(transaction, organization_id, candidates)
    const { evaluation_runs, scores } = await deleteEvaluations(
      transaction,
      candidates.map(({ decision_id }) => ({ organization_id, decision_id }))
    )
    await transaction.query(
      `update erasures
          set decisions = decisions + $2, evaluation_runs = evaluation_runs + $3,
              scores = scores + $4
        where erasure_id = $1`,
      [erasure_id, decisions, evaluation_runs, scores]
    )
    return { decisions, evaluation_runs, scores }
  })
}

interface Chunk extends Pick<Erasure, 'organization_id' | 'received_until'> {
  readonly candidates: readonly ErasureCandidates[]
}

/**
 * Turns identities into tombstones. Clears their fingerprints, because the content could be guessed
 * from a fingerprint.
 */
async function upsertTombstones(
  transaction: Queryable,
  { organization_id, candidates, received_until }: Chunk
): Promise<void> {
  await transaction.query(
    `insert into decision_ids as i
            (organization_id, decision_id, received_at, fingerprint, erased_at)
     select $1, decision_id, coalesce(received_at, $4), '', now()
       from unnest($2::uuid[], $3::timestamptz[]) as candidates (decision_id, received_at)
      order by decision_id
     on conflict (organization_id, decision_id) do update
        set fingerprint = '', erased_at = coalesce(i.erased_at, excluded.erased_at)`,
    [
      organization_id,
      candidates.map(({ decision_id }) => decision_id),
      candidates.map(({ received_at }) => received_at),
      received_until
    ]
  )
}
