/** Reads and writes the ledger: the lease of the next audit, and the result of the last one. */
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import type { AuditCounts } from '../../../store/audit/audit-tally.ts'

/** The columns that an audit writes for all organizations, or for one. */
export interface LedgerFigures extends AuditCounts {
  readonly messages_in_hours: number
  readonly partitions: readonly (AuditCounts & { readonly partition: number })[]
  readonly missing_records: readonly object[]
}

export interface LedgerResult {
  readonly window_from: Date
  readonly window_to: Date
  readonly hours_from: Date
  readonly hours_to: Date
  readonly exact: boolean
  readonly every_organization: boolean
  readonly all: LedgerFigures
  readonly organizations: readonly (LedgerFigures & { readonly organization_id: string })[]
}

/** Number of organizations to insert with one statement. */
const organizationsAtOnce = 500

/**
 * Takes the lease of the next audit if it is due. The lease ends when the following audit is due,
 * so a process that is killed delays the ledger by one interval.
 * @returns the end of the lease, or null if no audit is due or another process has taken it
 */
export async function takeLease(
  postgres: Queryable,
  topic: string,
  seconds: number
): Promise<string | null> {
  const [row] = await postgres.query<{ lease: string }>(
    `insert into ledger_audits (topic, next_at)
     values ($1, now() + make_interval(secs => $2))
     on conflict (topic) do update set next_at = excluded.next_at
      where ledger_audits.next_at <= now()
     returning next_at::text as lease`,
    [topic, seconds]
  )
  return row?.lease ?? null
}

/**
 * Returns the organizations with stored decisions that were received in the hour of `since` or
 * later. If there are more than the maximum, returns those registered first, so that new
 * organizations cannot displace older ones.
 */
export async function selectActiveOrganizations(
  postgres: Queryable,
  since: Date,
  organizationsMax: number
): Promise<Set<string>> {
  const rows = await postgres.query<{ organization_id: string }>(
    `select organization_id from organizations o
      where exists (select from decision_hours h
                     where h.organization_id = o.organization_id and h.hour >= $1)
      order by created_at, organization_id
      limit $2`,
    [since, organizationsMax]
  )
  return new Set(rows.map(({ organization_id }) => organization_id))
}

/**
 * Replaces the result of the previous audit.
 * @returns false if another process has taken the lease since; nothing is written then
 */
export async function writeLedger(
  postgres: Postgres,
  { topic, lease }: { readonly topic: string; readonly lease: string },
  { all, organizations, ...columns }: LedgerResult
): Promise<boolean> {
  return await postgres.transaction(async (transaction) => {
    const updated = await transaction.query(
      `update ledger_audits a
          set (audited_at, window_from, window_to, hours_from, hours_to, exact, every_organization,
               stored, duplicate, conflict, dead_lettered, erased, in_flight, missing,
               messages_in_hours, partitions, missing_records) =
              (select clock_timestamp(), window_from, window_to, hours_from, hours_to, exact,
                      every_organization, stored, duplicate, conflict, dead_lettered, erased,
                      in_flight, missing, messages_in_hours, partitions, missing_records
                 from json_populate_record(null::ledger_audits, $3))
        where topic = $1 and next_at = $2::timestamptz
       returning 1`,
      [topic, lease, JSON.stringify({ ...columns, ...all })]
    )
    if (updated.length === 0) return false
    await transaction.query('delete from ledger_organizations where topic = $1', [topic])
    for (let at = 0; at < organizations.length; at += organizationsAtOnce) {
      await insertOrganizations(
        transaction,
        topic,
        organizations.slice(at, at + organizationsAtOnce)
      )
    }
    return true
  })
}

async function insertOrganizations(
  transaction: Queryable,
  topic: string,
  organizations: LedgerResult['organizations']
): Promise<void> {
  await transaction.query(
    `insert into ledger_organizations
            (organization_id, topic, stored, duplicate, conflict, dead_lettered, erased, in_flight,
             missing, messages_in_hours, partitions, missing_records)
     select organization_id, $1, stored, duplicate, conflict, dead_lettered, erased, in_flight,
            missing, messages_in_hours, partitions, missing_records
       from json_populate_recordset(null::ledger_organizations, $2)`,
    [topic, JSON.stringify(organizations)]
  )
}
