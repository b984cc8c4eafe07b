/** Sums as the statements answer them, a series in a row, and as their readers use them. */
import type { Row } from '../../platform/postgres/postgres.ts'
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { Sums } from './sum-sources.ts'

export interface SumRow {
  /** JSON text of a list with a value for each group; null is all groups that are not wanted. */
  readonly key: string | null
  /** JSON texts of what else tells series apart; empty where nothing does. */
  readonly identity: string
  /** From 1 on, in the order of the starts. */
  readonly bucket: number
  readonly sums: Sums
}

/** A series is one row: a key may be long, and there are many points. */
export interface StoredSeries extends Row {
  readonly key: string | null
  readonly identity: string
  /** JSON text of a list of `[bucket, sum, …]`. */
  readonly points: string
}

export async function sumRowsOf(
  series: readonly StoredSeries[],
  names: readonly string[]
): Promise<SumRow[]> {
  const rows: SumRow[] = []
  for (const { key, identity, points } of series) {
    await yieldTurn()
    for (const [bucket = 0, ...values] of JSON.parse(points) as number[][]) {
      const sums: Record<string, number> = {}
      names.forEach((name, index) => (sums[name] = values[index] as number))
      rows.push({ key, identity, bucket, sums })
    }
  }
  return rows
}
