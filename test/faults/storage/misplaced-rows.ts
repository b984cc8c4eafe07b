/** Finds stored decisions with a wrong time or in the partition of another day. */
import type { StoredRow, TopicEntry } from './evidence.ts'
import type { Identity } from './ledger-line.ts'

/** Formats the UTC day, for example "20261121". */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}

/**
 * Describes rows whose time matches none of their records, or that are in the wrong day's
 * partition.
 */
export function misplacedRows(
  entries: ReadonlyMap<Identity, readonly TopicEntry[]>,
  rows: readonly StoredRow[]
): string[] {
  return rows.flatMap((row) => {
    const { identity, receivedAt, table } = row
    const times = winnersOf(row, entries.get(identity) ?? []).map((entry) => entry.receivedAt)
    const tables = [`decisions_${dayOf(receivedAt)}`, 'decisions_default']
    if (!times.includes(receivedAt))
      return [`${identity}: ${receivedAt} is not when it was received`]
    return tables.includes(table) ? [] : [`${identity}: ${dayOf(receivedAt)} is in ${table}`]
  })
}

/**
 * Returns the records that the row can originate from: in each partition, the first record with the
 * row's content.
 */
function winnersOf({ fingerprint }: StoredRow, entries: readonly TopicEntry[]): TopicEntry[] {
  const same = entries.filter((entry) => entry.fingerprint === fingerprint)
  const partitions = Map.groupBy(same, ({ partition }) => partition)
  return [...partitions.values()].map((found) =>
    found.reduce((first, entry) => (entry.offset < first.offset ? entry : first))
  )
}
