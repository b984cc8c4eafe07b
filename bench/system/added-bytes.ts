/** Measures the bytes that a decision adds to Postgres tables and indexes and to topics. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { markdownTable } from '../report/markdown.ts'
import type { Bench } from '../row.ts'
import { decisionsTopic } from '../rows/gateway.ts'
import { evaluationsTopic } from './whole-system.ts'

/** Added bytes per decision. */
export interface AddedBytes {
  readonly decisions: number
  /** Tables and indexes, largest first. */
  readonly relations: readonly Relation[]
  readonly topics: Readonly<Record<string, number>>
  /** Write-ahead log, including full-page images and maintenance. */
  readonly wal: number
}

export interface Relation {
  readonly name: string
  readonly kind: 'table' | 'index'
  readonly bytes: number
}

/**
 * Reads the size of each table and index. Partitions are added to their parent, and TOAST tables to
 * their table.
 */
const query = `
  select coalesce(pg_partition_root(oid), oid)::regclass::text as name,
         case relkind when 'i' then 'index' else 'table' end as kind,
         sum(pg_table_size(oid))::float8 as bytes
    from pg_class
   where relkind in ('r', 'i', 'm')
     and relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
   group by 1, 2`

/** Total bytes at one point in time. */
type StoredBytes = Omit<AddedBytes, 'decisions'>

export async function readStoredBytes({ folder }: Bench, postgres: Postgres): Promise<StoredBytes> {
  const wal = await readWal(postgres)
  await postgres.query('vacuum analyze')
  const topics = [decisionsTopic, evaluationsTopic].map(
    (topic) => [topic, topicBytes(folder, topic)] as const
  )
  const relations = await postgres.query<Record<string, unknown> & Relation>(query)
  return { relations, topics: Object.fromEntries(topics), wal }
}

/** Divides the bytes that were added between two readings by the number of decisions. */
export function addedBetween(
  before: StoredBytes,
  after: StoredBytes,
  decisions: number
): AddedBytes {
  const known = new Map(before.relations.map(({ name, bytes }) => [name, bytes]))
  const relations = after.relations
    .map((one) => ({ ...one, bytes: (one.bytes - (known.get(one.name) ?? 0)) / decisions }))
    .toSorted((left, right) => right.bytes - left.bytes)
  const topics = Object.entries(after.topics).map(
    ([topic, bytes]) => [topic, (bytes - (before.topics[topic] ?? 0)) / decisions] as const
  )
  const wal = (after.wal - before.wal) / decisions
  return { decisions, relations, topics: Object.fromEntries(topics), wal }
}

async function readWal(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
  )
  return row?.bytes ?? 0
}

/** Returns the size on disk of the log segments of all partitions. */
function topicBytes(folder: string, topic: string): number {
  const partition = new RegExp(`/${topic}-\\d+/\\d+[.]log$`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => partition.test(path))
    .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
}

export function bytesIn(
  { relations }: Pick<AddedBytes, 'relations'>,
  kind?: Relation['kind']
): number {
  return relations
    .filter((relation) => kind === undefined || relation.kind === kind)
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Formats the bytes as a table. Relations with less than one byte per decision appear only in the
 * sums.
 */
export function markdownOfAdded(added: AddedBytes): string {
  const lines: (readonly [string, string, number])[] = [
    ...added.relations
      .filter(({ bytes }) => bytes >= 1)
      .map(({ name, kind, bytes }) => [name, kind, bytes] as const),
    ['Postgres', 'tables', bytesIn(added, 'table')],
    ['Postgres', 'indexes', bytesIn(added, 'index')],
    ['Postgres', 'sum', bytesIn(added)],
    ['write-ahead log', '', added.wal],
    ...Object.entries(added.topics).map(([topic, bytes]) => [topic, 'topic', bytes] as const)
  ]
  const cells = lines.map(([name, kind, bytes]) => [name, kind, bytes.toFixed(0)])
  return markdownTable(['of one decision', '', 'bytes'], cells, 2)
}
