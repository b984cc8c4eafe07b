/** Retention: drops days of decisions and evaluations, and deletes other old rows in pieces.
 *
 * A decision that comes when its day is dropped already (a dead letter of long ago that is sent
 * again, a group that was far behind) is stored in the default partition like any other, and
 * deleted from there in the next round: it is never lost silently, and never stays.
 */
import { evaluationTables } from '../../../store/delete-evaluations.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { topicDefinitions } from '../../../schemas/index.ts'
import { inTurn, tablesByDay } from './partitions.ts'
import type { UpkeepDependencies } from './partitions.ts'

export interface RetentionDependencies extends UpkeepDependencies {
  /** Days that decisions are kept; null keeps them for ever. */
  readonly retentionDays: number | null
}

const dayMs = 86_400_000
const chunkRows = 5000
/** In one round and for one table; the rest is for the next, which then follows at once. */
const tableMsMax = 20_000
const partitionsDroppedMax = 120
/** In one round; each may have 8 MiB. */
const ruleSetsMax = 200

/** Tables whose old rows are deleted, with the column that says how old they are. */
const agingTables = [
  ...tablesByDay.map((table) => [`${table}_default`, 'received_at'] as const),
  ...evaluationTables,
  ['decision_hours', 'hour'],
  ['decision_facet_hours', 'hour'],
  ['outcome_hours', 'hour'],
  ['score_hours', 'hour'],
  ['agents', 'last_received_at']
] as const

/**
 * An identity outlives its decision by as long as the topic or its dead letters may bring it back:
 * what comes again by then is a duplicate, and not a new decision.
 */
export const replayDays = Math.ceil(
  retentionMsOf('decisions') / dayMs + retentionMsOf('decisions_dead_letter') / dayMs
)

function retentionMsOf(role: string): number {
  const config = topicDefinitions.find((topic) => topic.role === role)?.config
  return Number(config?.['retention.ms'] ?? 0)
}

/** The use of a kind is written once a day, so a kind outlives the rows that refer to it. */
const kindDays = 2

/** One round; logs what it dropped or deleted. @returns whether there is more to delete */
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

async function dropDays(dependencies: UpkeepDependencies, retentionDays: number): Promise<void> {
  for (const partition of await expiredPartitions(dependencies.postgres, retentionDays)) {
    const dropped = await inTurn(dependencies, (transaction) =>
      transaction.query(`drop table if exists ${partition}`)
    )
    if (dropped !== null) dependencies.logger.info({ partition }, 'dropped the partition of a day')
  }
}

/** Attached partitions to drop, the oldest first, such as `decisions_20250115`. */
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

/** The partitions of decision_ids: the place of a row is its own within each. */
async function identityTables(postgres: Queryable): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    `select inhrelid::regclass::text as name
       from pg_inherits where inhparent = 'decision_ids'::regclass
      order by name`
  )
  return rows.map(({ name }) => name)
}

/**
 * Those that were replaced before the oldest plan was made. A consumer learns of a change a few
 * seconds later, hence the day between.
 */
async function deleteRuleSets(dependencies: UpkeepDependencies, days: number): Promise<void> {
  const deleted = await inTurn(dependencies, (transaction) =>
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

/** Keeps today and so many days before it. @returns whether it deleted all that is older */
async function deleteOlder(dependencies: UpkeepDependencies, aging: Aging): Promise<boolean> {
  const { logger, signal, now = () => performance.now() } = dependencies
  const endsAt = now() + tableMsMax
  let rows = 0
  let isDone = false
  while (!isDone && now() < endsAt && signal?.aborted !== true) {
    const deleted = await inTurn(dependencies, (transaction) => deleteChunk(transaction, aging))
    rows += deleted ?? 0
    // Null: another instance is at it.
    isDone = deleted === null || deleted < chunkRows
  }
  if (rows > 0) logger.info({ table: aging.table, rows }, 'deleted rows older than they are kept')
  return isDone
}

/**
 * By the places of rows: to find them again by their values would read the table once more. One
 * that is used meanwhile has another place, and is looked at again.
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
