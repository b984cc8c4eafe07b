/** Erases a few decisions in one transaction: rows, what was made of them, and their sums. */
import { changeHours } from '../change-hours.ts'
import { deleteEvaluations } from '../delete-evaluations.ts'
import type { Postgres, Queryable } from '../postgres.ts'
import type { DoomedCounts } from './count-doomed.ts'
import type { Erasure } from './erasure-table.ts'
import { findDoomed } from './find-doomed.ts'
import type { Doomed } from './find-doomed.ts'

/**
 * The tables are locked in the order in which storage locks them: identities, decisions, hours.
 * @returns what was deleted, or null when nothing is left.
 */
export function eraseChunk(postgres: Postgres, erasure: Erasure): Promise<DoomedCounts | null> {
  const { erasure_id, organization_id, received_until } = erasure
  return postgres.transaction(async (transaction) => {
    // Two who do the same take turns.
    await transaction.query(`select from erasures where erasure_id = $1 for update`, [erasure_id])
    const doomed = await findDoomed(transaction, erasure)
    if (doomed.length === 0) return null
    await upsertTombstones(transaction, { organization_id, doomed, received_until })
    const decisions = await deleteDecisions(transaction, { organization_id, doomed })
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

interface Chunk {
  readonly organization_id: string
  readonly doomed: readonly Doomed[]
}

/** What the caller said is gone from the identity too: a fingerprint could be guessed at. */
async function upsertTombstones(
  transaction: Queryable,
  { organization_id, doomed, received_until }: Chunk & Pick<Erasure, 'received_until'>
): Promise<void> {
  await transaction.query(
    `insert into decision_ids as i
            (organization_id, decision_id, received_at, fingerprint, erased_at)
     select $1, decision_id, coalesce(received_at, $4), '', now()
       from unnest($2::uuid[], $3::timestamptz[]) as doomed (decision_id, received_at)
      order by decision_id
     on conflict (organization_id, decision_id) do update
        set fingerprint = '', erased_at = coalesce(i.erased_at, excluded.erased_at)`,
    [organization_id, ...columnsOf(doomed), received_until]
  )
}

/** The sums of the hours lose what the rows had; an hour of which nothing is left goes. */
async function deleteDecisions(
  transaction: Queryable,
  { organization_id, doomed }: Chunk
): Promise<number> {
  const stored = doomed.filter(({ received_at }) => received_at !== null)
  if (stored.length === 0) return 0
  const hours = await transaction.query<HourRow>(takeFromHours, [
    ...[organization_id, columnsOf(stored)[0]],
    ...[stored.at(0)?.received_at, stored.at(-1)?.received_at]
  ])
  const empty = hours.filter(({ decisions }) => decisions <= 0)
  await transaction.query(
    `delete from decision_hours h
      using unnest($2::timestamptz[], $3::text[], $4::text[]) as empty (hour, agent_id, domain)
      where h.organization_id = $1 and h.hour = empty.hour and h.agent_id = empty.agent_id
        and h.domain = empty.domain`,
    [
      organization_id,
      empty.map(({ hour }) => hour),
      empty.map(({ agent_id }) => agent_id),
      empty.map(({ domain }) => domain)
    ]
  )
  return hours[0]?.deleted ?? 0
}

interface HourRow extends Record<string, unknown> {
  readonly hour: Date
  readonly agent_id: string
  readonly domain: string
  /** Left in the hour. */
  readonly decisions: number
  /** Rows of all hours that were deleted by the statement. */
  readonly deleted: number
}

/** $3 and $4 bound received_at, to the millisecond, so that only a few partitions are opened. */
const takeFromHours = `
  with gone as (
    delete from decisions d
     using unnest($2::uuid[]) as doomed (decision_id)
     where d.organization_id = $1 and d.decision_id = doomed.decision_id
       and d.received_at >= $3 and d.received_at < $4::timestamptz + interval '1 millisecond'
    returning d.organization_id, d.received_at, d.agent_id, d.domain, d.input_tokens,
              d.output_tokens
  )
  ${changeHours('gone', '-')}
  returning h.hour, h.agent_id, h.domain, h.decisions, (select count(*) from gone) as deleted`

function columnsOf(doomed: readonly Doomed[]) {
  return [
    doomed.map(({ decision_id }) => decision_id),
    doomed.map(({ received_at }) => received_at)
  ] as const
}
