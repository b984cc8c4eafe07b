/** Erases a few decisions in one transaction: rows, what was made of them, and their sums. */
import { deleteEvaluations } from '../delete-evaluations.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { DoomedCounts } from './count-doomed.ts'
import { deleteDecisions } from './delete-decisions.ts'
import { finishErasure, lockErasure } from './erasure-table.ts'
import type { Erasure } from './erasure-table.ts'
import { findDoomed } from './find-doomed.ts'
import type { Doomed } from './find-doomed.ts'

/**
 * The tables are locked in the order in which storage locks them: identities, decisions, hours,
 * what was made of them.
 * @returns what was deleted, or null when nothing is left, and the erasure is finished.
 */
export function eraseChunk(
  postgres: Postgres,
  { erasure_id }: Pick<Erasure, 'erasure_id'>
): Promise<DoomedCounts | null> {
  return postgres.transaction(async (transaction) => {
    // Two who do the same take turns; whoever asks for it once more has extended it by now, or will
    // find it finished.
    const erasure = await lockErasure(transaction, erasure_id)
    const { organization_id, received_until } = erasure
    const doomed = erasure.finished_at === null ? await findDoomed(transaction, erasure) : []
    if (doomed.length === 0) {
      await finishErasure(transaction, erasure_id)
      return null
    }
    await upsertTombstones(transaction, { organization_id, doomed, received_until })
    const decisions = await deleteDecisions(transaction, organization_id, doomed)
    const { evaluation_runs, scores } = await deleteEvaluations(
      transaction,
      doomed.map(({ decision_id }) => ({ organization_id, decision_id }))
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
  readonly doomed: readonly Doomed[]
}

/** What the caller said is gone from the identity too: a fingerprint could be guessed at. */
async function upsertTombstones(
  transaction: Queryable,
  { organization_id, doomed, received_until }: Chunk
): Promise<void> {
  await transaction.query(
    `insert into decision_ids as i
            (organization_id, decision_id, received_at, fingerprint, erased_at)
     select $1, decision_id, coalesce(received_at, $4), '', now()
       from unnest($2::uuid[], $3::timestamptz[]) as doomed (decision_id, received_at)
      order by decision_id
     on conflict (organization_id, decision_id) do update
        set fingerprint = '', erased_at = coalesce(i.erased_at, excluded.erased_at)`,
    [
      organization_id,
      doomed.map(({ decision_id }) => decision_id),
      doomed.map(({ received_at }) => received_at),
      received_until
    ]
  )
}
