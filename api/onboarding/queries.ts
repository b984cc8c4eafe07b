/** Reads the onboarding progress of an organization, from the database and the usage counters. */
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'

export type Progress = Awaited<ReturnType<typeof readProgress>>

const keysMax = 100

export async function readProgress(
  { store, config, readUsage }: Pick<Services, 'store' | 'config' | 'readUsage'>,
  organizationId: string,
  userId: string
) {
  const ours = store.of(organizationId)
  const keys = await readKeys(ours)
  const [email, attempts, uses, decision, score] = await Promise.all([
    // An installation that sends no emails cannot verify addresses.
    config.MAIL_URL === null ? null : readEmail(ours, userId),
    readUsage.attempts(organizationId),
    readUsage.keyUse(keys.map(({ key_id }) => key_id)),
    readDecision(ours),
    readScore(ours)
  ])
  return { email, keys, attempts, uses, decision, score }
}

async function readFirst<R extends object>(ours: OrganizationStore, statement: Sql) {
  const [row] = await query<R>(ours, statement)
  return row ?? null
}

function readEmail(ours: OrganizationStore, userId: string) {
  return readFirst<{ email: string; email_verified_at: Date | null }>(
    ours,
    sql`select email, email_verified_at from users where user_id = ${userId}`
  )
}

/** Reads live keys that can send decisions, oldest first. */
function readKeys(ours: OrganizationStore) {
  return query<{ key_id: string; name: string; created_at: Date; last_used_at: Date | null }>(
    ours,
    sql`select key_id, name, created_at, last_used_at
          from api_keys
         where organization_id = ${ours.organizationId}
           and scopes && array['ingest', 'admin']
           and revoked_at is null and (expires_at is null or expires_at > now())
         order by created_at, key_id
         limit ${keysMax}`
  )
}

/**
 * Reads the first stored decision. Looks up its hour in the hourly sums, so that only one partition
 * of `decisions` is searched.
 */
async function readDecision(ours: OrganizationStore) {
  const first = await readFirst<{ hour: Date }>(
    ours,
    sql`select hour
          from decision_hours
         where organization_id = ${ours.organizationId} and decisions > 0
         order by hour
         limit 1`
  )
  if (first === null) return null
  return readFirst<{ decision_id: string; received_at: Date; stored_at: Date }>(
    ours,
    sql`select decision_id, received_at, stored_at
          from decisions
         where organization_id = ${ours.organizationId}
           and received_at >= ${first.hour}::timestamptz
           and received_at < ${first.hour}::timestamptz + interval '1 hour'
         order by received_at, decision_id
         limit 1`
  )
}

function readScore(ours: OrganizationStore) {
  const firstOf = (table: Sql) => sql`
    (select decision_id, name, evaluated_at
       from ${table}
      where organization_id = ${ours.organizationId}
        and evaluated_at is not null and name is not null
      order by evaluated_at, decision_id
      limit 1)`
  return readFirst<{ decision_id: string; name: string; evaluated_at: Date }>(
    ours,
    sql`select *
          from (${firstOf(sql`packed_runs`)} union all ${firstOf(sql`later_scores`)}) as first
         order by evaluated_at
         limit 1`
  )
}
