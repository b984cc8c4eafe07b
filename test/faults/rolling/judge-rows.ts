/** Holds the ledger against what is stored. */
import type { Ledger } from '../ledger.ts'

export interface RowsVerdict {
  readonly rows: number
  /** Acknowledged, and no row. */
  readonly notStored: readonly string[]
  /** A row that nobody sent. */
  readonly ghosts: readonly string[]
  /** Rows beyond the first of a decision. */
  readonly storedTwice: number
}

/** @param ids of all rows, once storage has settled everything. */
export function judgeRows(
  { entries }: Pick<Ledger, 'entries'>,
  ids: readonly string[]
): RowsVerdict {
  const stored = new Set(ids)
  const acknowledged = [...entries].filter(([, { outcomes }]) =>
    outcomes.some(({ kind }) => kind === 'acknowledged')
  )
  return {
    rows: ids.length,
    notStored: acknowledged.map(([id]) => id).filter((id) => !stored.has(id)),
    ghosts: [...stored].filter((id) => !entries.has(id)),
    storedTwice: ids.length - stored.size
  }
}
