/** Reads and writes the table of deferred decisions: one queue per organization and partition. */
import type { Decision, DecisionIdentity } from '../../../core/decision/decision.ts'
import { identityArrays } from '../../../store/find-identities.ts'
import { insertDeferrals } from '../../../store/insert-deferrals.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

export async function deferDecisions(
  postgres: Queryable,
  decisions: readonly Decision[],
  partition: number
): Promise<void> {
  await insertDeferrals(
    postgres,
    decisions.map(({ organization_id, decision_id, received_at, input, output, metadata }) => {
      const characters = input.length + output.length + (metadata?.length ?? 0)
      const identity = { organization_id, decision_id, received_at: new Date(received_at) }
      return { ...identity, partition, characters }
    })
  )
}

/** Returns the given organizations that have deferred decisions in the partition. */
export async function findWaiting(
  postgres: Queryable,
  organizationIds: readonly string[],
  partition: number
): Promise<ReadonlySet<string>> {
  const rows = await postgres.query<{ organization_id: string }>(
    // `limit 1` makes Postgres read at most one row per organization.
    `select wanted.organization_id
       from unnest($1::uuid[]) as wanted (organization_id)
      cross join lateral (
            select from deferred_decisions d
             where d.partition = $2 and d.organization_id = wanted.organization_id
             limit 1) as waiting`,
    [organizationIds, partition]
  )
  return new Set(rows.map(({ organization_id }) => organization_id))
}

const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the first organization after `previous`, in ID order, that has due decisions. Wraps
 * around to the lowest ID. Returns null if no decision is due.
 */
export async function nextOrganization(
  postgres: Queryable,
  partitions: readonly number[],
  previous: string | null
): Promise<string | null> {
  const [row] = await postgres.query<{ organization_id: string }>(
    `select turn.organization_id
       from unnest($1::integer[]) as own (partition)
      cross join lateral (
            select d.organization_id
              from deferred_decisions d
             where d.partition = own.partition and d.organization_id > $2 and d.due_at <= now()
             order by d.organization_id
             limit 1) as turn
      order by turn.organization_id
      limit 1`,
    [partitions, previous ?? firstId]
  )
  if (row !== undefined) return row.organization_id
  return previous === null ? null : await nextOrganization(postgres, partitions, null)
}

interface DueDecision extends DecisionIdentity, Row {
  /** Timestamp with microseconds, in Postgres's text format. */
  readonly due_at: string
}

interface PieceQuery {
  readonly organizationId: string
  readonly partitions: readonly number[]
  /** Maximum size of the result. Its last decision may exceed `characters`. */
  readonly most: { readonly decisions: number; readonly characters: number }
}

/**
 * Selects due decisions, oldest first, from the partition with the oldest due decision. Uses a
 * single partition so that storage receives the evaluations as one batch.
 */
export async function selectDeferred(
  postgres: Queryable,
  { organizationId, partitions, most }: PieceQuery
): Promise<readonly DueDecision[]> {
  return await postgres.query<DueDecision>(
    `with chosen as (
       select own.partition
         from unnest($1::integer[]) as own (partition)
        cross join lateral (
              select d.received_at
                from deferred_decisions d
               where d.partition = own.partition and d.organization_id = $2 and d.due_at <= now()
               order by d.received_at
               limit 1) as oldest
        order by oldest.received_at
        limit 1)
     select organization_id, decision_id, due_at::text
       from (select oldest.*, sum(characters) over turn - characters as before
               from (select d.organization_id, d.decision_id, d.received_at, d.characters,
                            d.due_at
                       from deferred_decisions d
                      where d.partition = (select partition from chosen)
                        and d.organization_id = $2 and d.due_at <= now()
                      order by d.received_at
                      limit $3) as oldest
             window turn as (order by received_at, decision_id)) as summed
      where before < $4
      order by received_at, decision_id`,
    [partitions, organizationId, most.decisions, most.characters]
  )
}

/** Deletes the selected rows, except rows that were deferred again in the meantime. */
export async function deleteDeferred(
  postgres: Queryable,
  deferred: readonly DueDecision[]
): Promise<void> {
  if (deferred.length === 0) return
  await postgres.query(
    `delete from deferred_decisions d
      using unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
            as given (organization_id, decision_id, due_at)
      where d.organization_id = given.organization_id and d.decision_id = given.decision_id
        and d.due_at = given.due_at`,
    [...identityArrays(deferred), deferred.map(({ due_at }) => due_at)]
  )
}

/**
 * Deletes the rows of decisions that storage has rejected. A missing decision counts as rejected
 * once storage has settled all messages that the partition held 5 minutes after the deferral. The
 * 5 minutes allow for clock skew.
 */
export async function deleteRejected(
  postgres: Queryable,
  topic: string,
  absent: readonly DecisionIdentity[]
): Promise<void> {
  if (absent.length === 0) return
  await postgres.query(
    `delete from deferred_decisions d
      using unnest($1::uuid[], $2::uuid[]) as given (organization_id, decision_id),
            storage_progress s
      where d.organization_id = given.organization_id and d.decision_id = given.decision_id
        and s.topic = $3 and s.partition = d.partition
        and d.deferred_at < s.as_of - interval '5 minutes'`,
    [...identityArrays(absent), topic]
  )
}

/** Postpones decisions by one second, because they are not stored yet. */
export async function postponeDeferred(
  postgres: Queryable,
  deferred: readonly DecisionIdentity[]
): Promise<void> {
  if (deferred.length === 0) return
  await postgres.query(
    `update deferred_decisions d
        set due_at = now() + interval '1 second'
       from unnest($1::uuid[], $2::uuid[]) as given (organization_id, decision_id)
      where d.organization_id = given.organization_id and d.decision_id = given.decision_id`,
    identityArrays(deferred)
  )
}
