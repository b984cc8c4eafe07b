/** Whether each row has the time of its decision and lies in the table of that day. */
import type { StoredRow, TopicEntry } from './evidence.ts'
import type { Identity } from './ledger-line.ts'

/** "20261121", in UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}

/** Rows whose time no record of theirs has, or that lie in the table of another day. */
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
    return tables.includes(table) ? [] : [`${identity}: ${dayOf(receivedAt)} lies in ${table}`]
  })
}

/** The records that the row may come from: the first of each partition that says the same. */
function winnersOf({ fingerprint }: StoredRow, entries: readonly TopicEntry[]): TopicEntry[] {
  const same = entries.filter((entry) => entry.fingerprint === fingerprint)
  const partitions = Map.groupBy(same, ({ partition }) => partition)
  return [...partitions.values()].map((found) =>
    found.reduce((first, entry) => (entry.offset < first.offset ? entry : first))
  )
}
