/** Retention: drops old day partitions, and deletes other old rows in chunks.
 *
 * A decision may arrive after its day was dropped, for example from a replayed dead-letter record.
 * It is stored in the default partition, and the next round deletes it.
 */
import { evaluationTables } from '../../../store/delete-evaluations.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { topicDefinitions } from '../../../schemas/index.ts'
import { withMaintenanceLock, tablesByDay } from './partitions.ts'
import type { MaintenanceDependencies } from './partitions.ts'

export interface RetentionDependencies extends MaintenanceDependencies {
  /** Number of days to keep decisions. Null keeps them forever. */
  readonly retentionDays: number | null
}

const dayMs = 86_400_000
const chunkRows = 5000
/**
 * Maximum time per round and table, in milliseconds. If rows are left, the next round starts
 * immediately.
 */
const tableMsMax = 20_000
const partitionsDroppedMax = 120
/** Maximum number of rule sets to delete per round. Each can have about 8 million characters. */
const ruleSetsMax = 200

/** Tables with rows to delete, and the column that determines their age. */
const agingTables = [
  ...tablesByDay.map((table) => [`${table}_default`, 'received_at'] as const),
  ...evaluationTables,
  ['decision_hours', 'hour'],
  ['decision_facet_hours', 'hour'],
  ['outcome_hours', 'hour'],
  ['score_hours', 'hour'],
  ['agents', 'last_received_at'],
  ['ledger_audits', 'audited_at'],
  ['ledger_organizations', 'audited_at']
] as const

/**
 * Number of days by which an identity outlives its decision. During this time, the topic or its
 * dead-letter topic can redeliver the decision, and the identity marks it as a duplicate.
 */
export const replayDays = Math.ceil(
  retentionMsOf('decisions') / dayMs + retentionMsOf('decisions_dead_letter') / dayMs
)

function retentionMsOf(role: string): number {
  const config = topicDefinitions.find((topic) => topic.role === role)?.config
  return Number(config?.['retention.ms'] ?? 0)
}

/**
 * Number of days by which a kind outlives the rows that refer to it. A margin, because `used_on` is
 * a date.
 */
const kindDays = 2

/**
 * Runs one round.
 * @returns whether there is more to delete
 */
export async function applyRetention(dependencies: RetentionDependencies): Promise<boolean> {
  const { postgres, retentionDays } = dependencies
  if (retentionDays === null) return false
  await dropDays(dependencies, retentionDays)
  await deleteRuleSets(dependencies, retentionDays)
  const identities = await identityTables(postgres)
  const aging: Aging[] = [
    ...agingTables.map(([table, column]) => ({ table, column, days: retentionDays })),
    { table: 'run_kinds', column: 'used_on', days: retentionDays + kindDays },
    ...identities.map((table) => {
      return { table, column: 'received_at', days: retentionDays + replayDays }
    })
  ]
  let isMore = false
  for (const each of aging) {
    if (!(await deleteOlder(dependencies, each))) isMore = true
  }
  return isMore
}

async function dropDays(
  dependencies: MaintenanceDependencies,
  retentionDays: number
): Promise<void> {
  for (const partition of await expiredPartitions(dependencies.postgres, retentionDays)) {
    const dropped = await withMaintenanceLock(dependencies, (transaction) =>
      transaction.query(`drop table if exists ${partition}`)
    )
    if (dropped !== null) dependencies.logger.info({ partition }, 'dropped a day partition')
  }
}

/** Returns the partitions to drop, oldest first, for example `decisions_20250115`. */
async function expiredPartitions(postgres: Queryable, days: number): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    `select child.relname as name
       from pg_inherits
       join pg_class child on child.oid = inhrelid
      where inhparent = any ($1::regclass[])
        and child.relname ~ '_[0-9]{8}$'
        and right(child.relname, 8) < to_char((now() at time zone 'utc')::date - $2::integer,
                                              'YYYYMMDD')
      order by right(child.relname, 8), name
      limit $3`,
    [tablesByDay, days, partitionsDroppedMax]
  )
  return rows.map(({ name }) => name)
}

/**
 * Returns the partitions of decision_ids. Rows are deleted from each partition separately, because
 * a ctid is unique only within a partition.
 */
async function identityTables(postgres: Queryable): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    `select inhrelid::regclass::text as name
       from pg_inherits where inhparent = 'decision_ids'::regclass
      order by name`
  )
  return rows.map(({ name }) => name)
}

/**
 * Deletes rule sets that were replaced before the oldest stored plan was made. The extra day is a
 * margin, because consumers see a change only seconds later.
 */
async function deleteRuleSets(dependencies: MaintenanceDependencies, days: number): Promise<void> {
  const deleted = await withMaintenanceLock(dependencies, (transaction) =>
    transaction.query(
      `delete from rule_sets where ctid = any (array(
         select replaced.ctid
           from rule_sets replaced
           join rule_sets next on next.organization_id = replaced.organization_id
                              and next.version = replaced.version + 1
          where next.created_at < ((now() at time zone 'utc')::date - $1::integer - 1)::timestamp
                                  at time zone 'utc'
          limit $2))
       returning 1`,
      [days, ruleSetsMax]
    )
  )
  const ruleSets = deleted?.length ?? 0
  if (ruleSets > 0) dependencies.logger.info({ ruleSets }, 'deleted replaced rule sets')
}

interface Aging {
  readonly table: string
  readonly column: string
  readonly days: number
}

/**
 * Deletes rows from before the UTC day that was `days` days ago.
 * @returns false if older rows may be left
 */
async function deleteOlder(dependencies: MaintenanceDependencies, aging: Aging): Promise<boolean> {
  const { logger, signal, now = () => performance.now() } = dependencies
  const endsAt = now() + tableMsMax
  let rows = 0
  let isDone = false
  while (!isDone && now() < endsAt && signal?.aborted !== true) {
    const deleted = await withMaintenanceLock(dependencies, (transaction) =>
      deleteChunk(transaction, aging)
    )
    rows += deleted ?? 0
    // If null, another instance holds the lock and deletes the rows.
    isDone = deleted === null || deleted < chunkRows
  }
  if (rows > 0)
    logger.info({ table: aging.table, rows }, 'deleted rows older than the retention time')
  return isDone
}

/**
 * Deletes by ctid, because finding the rows by value would read the table twice. Checks the age
 * again, because a concurrently updated row has another ctid.
 */
async function deleteChunk(
  transaction: Queryable,
  { table, column, days }: Aging
): Promise<number> {
  const isOld = `${column} < ((now() at time zone 'utc')::date - $1::integer)::timestamp
                            at time zone 'utc'`
  const [row] = await transaction.query<{ deleted: number }>(
    `with gone as (
       delete from ${table} where ctid = any (array(
         select ctid from ${table}
          where ${isOld}
          limit $2))
         and ${isOld}
       returning 1
     )
     select count(*)::integer as deleted from gone`,
    [days, chunkRows]
  )
  return row?.deleted ?? 0
}
