/** Compares the responses that clients got with the stored rows. */
import type { Ledger } from '../ledger.ts'

export interface StoredRowsReport {
  readonly rows: number
  /** Acknowledged decisions that are not stored. */
  readonly notStored: readonly string[]
  /** Stored decisions that no client sent. */
  readonly rowsNeverSent: readonly string[]
  /** Number of rows that repeat a decision. */
  readonly storedTwice: number
}

/**
 * Compares the ledger with the rows.
 * @param ids ids of all rows, read after storage has caught up
 */
export function checkStoredRows(
  { entries }: Pick<Ledger, 'entries'>,
  ids: readonly string[]
): StoredRowsReport {
  const stored = new Set(ids)
  const acknowledged = [...entries].filter(([, { outcomes }]) =>
    outcomes.some(({ kind }) => kind === 'acknowledged')
  )
  return {
    rows: ids.length,
    notStored: acknowledged.map(([id]) => id).filter((id) => !stored.has(id)),
    rowsNeverSent: [...stored].filter((id) => !entries.has(id)),
    storedTwice: ids.length - stored.size
  }
}
