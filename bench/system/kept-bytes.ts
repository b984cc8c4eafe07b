/** Bytes that a decision leaves in Postgres, by table and index, and on the topics. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { markdownTable } from '../report/markdown.ts'
import type { Bench } from '../row.ts'
import { decisionsTopic } from '../rows/gateway.ts'
import { evaluationsTopic } from './whole-system.ts'

/** What decisions have added, in bytes of one of them. */
export interface Kept {
  readonly decisions: number
  /** The largest first. */
  readonly relations: readonly Relation[]
  readonly topics: Readonly<Record<string, number>>
  /** Of the write-ahead log, images of whole pages and maintenance included. */
  readonly wal: number
}

export interface Relation {
  readonly name: string
  readonly kind: 'table' | 'index'
  readonly bytes: number
}

/** Partitions count for the table or index that they are parts of, and TOAST for its table. */
const query = `
  select coalesce(pg_partition_root(oid), oid)::regclass::text as name,
         case relkind when 'i' then 'index' else 'table' end as kind,
         sum(pg_table_size(oid))::float8 as bytes
    from pg_class
   where relkind in ('r', 'i', 'm')
     and relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
   group by 1, 2`

/** All bytes that are there. */
export type Level = Omit<Kept, 'decisions'>

export async function readLevel({ folder }: Bench, postgres: Postgres): Promise<Level> {
  const wal = await readWal(postgres)
  await postgres.query('vacuum analyze')
  const topics = [decisionsTopic, evaluationsTopic].map(
    (topic) => [topic, topicBytes(folder, topic)] as const
  )
  const relations = await postgres.query<Record<string, unknown> & Relation>(query)
  return { relations, topics: Object.fromEntries(topics), wal }
}

/** What `decisions` have added, for each of them; pages that were there before count for none. */
export function keptBetween(before: Level, after: Level, decisions: number): Kept {
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

/** The segments of all its partitions, as the broker has written them. */
function topicBytes(folder: string, topic: string): number {
  const partition = new RegExp(`/${topic}-\\d+/\\d+[.]log$`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => partition.test(path))
    .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
}

export function bytesIn({ relations }: Pick<Kept, 'relations'>, kind?: Relation['kind']): number {
  return relations
    .filter((relation) => kind === undefined || relation.kind === kind)
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

/** What takes less than a byte is in the sums only. */
export function markdownOfKept(kept: Kept): string {
  const lines: (readonly [string, string, number])[] = [
    ...kept.relations
      .filter(({ bytes }) => bytes >= 1)
      .map(({ name, kind, bytes }) => [name, kind, bytes] as const),
    ['Postgres', 'tables', bytesIn(kept, 'table')],
    ['Postgres', 'indexes', bytesIn(kept, 'index')],
    ['Postgres', 'sum', bytesIn(kept)],
    ['write-ahead log', '', kept.wal],
    ...Object.entries(kept.topics).map(([topic, bytes]) => [topic, 'topic', bytes] as const)
  ]
  const cells = lines.map(([name, kind, bytes]) => [name, kind, bytes.toFixed(0)])
  return markdownTable(['of one decision', '', 'bytes'], cells, 2)
}
