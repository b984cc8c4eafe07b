/** Reads the ledger: the figures of one organization in the last audit of the decisions topic. */
import type { Static } from '../../http/schema.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import type { ledger, ledgerCounts, missingRecord, partitionCounts } from './schemas.ts'

type Ledger = Static<typeof ledger>
type Counts = Static<typeof ledgerCounts>

interface LedgerRow extends Counts {
  readonly audited_at: Date
  readonly window_from: Date
  readonly window_to: Date
  readonly hours_from: Date
  readonly hours_to: Date
  readonly exact: boolean
  readonly messages_in_hours: number
  readonly partitions: readonly Static<typeof partitionCounts>[]
  readonly missing_records: readonly Static<typeof missingRecord>[]
}

export async function readLedger(
  ours: OrganizationStore,
  { decisionsTopic, readUsage }: Pick<Services, 'decisionsTopic' | 'readUsage'>
): Promise<Ledger> {
  const [row] = await query<LedgerRow>(ours, selectLedger(ours, decisionsTopic))
  if (row === undefined) return { ledger: null }
  const { audited_at, window_from: from, window_to: to, exact, hours_from, hours_to } = row
  const { messages_in_hours, partitions, missing_records, ...columns } = row
  const { stored, duplicate, conflict, dead_lettered, erased, in_flight, missing } = columns
  const counts = { stored, duplicate, conflict, dead_lettered, erased, in_flight, missing }
  const hours = { from: hours_from, to: hours_to, messages: messages_in_hours }
  return {
    ledger: {
      audited_at,
      window: { from, to },
      exact,
      gateway: await compareGateways(ours, readUsage, hours),
      messages: Object.values(counts).reduce((sum, count) => sum + count, 0),
      ...counts,
      partitions,
      missing_records
    }
  }
}

interface Hours {
  readonly from: Date
  readonly to: Date
  readonly messages: number
}

/**
 * Compares the counts of gateways with the messages of the same hours. Returns null if there is no
 * whole hour, or while Redis is unavailable.
 */
async function compareGateways(
  { organizationId }: OrganizationStore,
  readUsage: Services['readUsage'],
  { from, to, messages }: Hours
) {
  if (from >= to) return null
  const found = await readUsage.outcomes(organizationId, [from.getTime()], to.getTime())
  if (found === null) return null
  const { accepted } = found.total
  return { from, to, accepted, messages, difference: messages - accepted }
}

/** Selects the ledger. The counts are 0 for an organization without messages in the window. */
function selectLedger({ organizationId }: OrganizationStore, topic: string) {
  return sql`
    select a.audited_at, a.window_from, a.window_to, a.hours_from, a.hours_to, a.exact,
           coalesce(o.stored, 0) as stored, coalesce(o.duplicate, 0) as duplicate,
           coalesce(o.conflict, 0) as conflict, coalesce(o.dead_lettered, 0) as dead_lettered,
           coalesce(o.erased, 0) as erased, coalesce(o.in_flight, 0) as in_flight,
           coalesce(o.missing, 0) as missing,
           coalesce(o.messages_in_hours, 0) as messages_in_hours,
           coalesce(o.partitions, '[]') as partitions,
           coalesce(o.missing_records, '[]') as missing_records
      from ledger_audits a
      left join ledger_organizations o
        on o.topic = a.topic and o.organization_id = ${organizationId}
     where a.topic = ${topic} and a.audited_at is not null
       and (a.every_organization or o.organization_id is not null)`
}
