/** Creates SQL conditions on text columns whose index covers only short values. */
import { raw, sql } from './sql.ts'
import type { Sql } from './sql.ts'

/**
 * Maximum size in bytes of an indexed value. Postgres limits the size of index entries, but
 * producers other than the gateway can write longer texts; see 0003-decisions.sql.
 */
const indexedBytesMax = 1024

/**
 * Returns a condition that `column` equals `value`. The column must have a partial index on values
 * of at most `indexedBytesMax`, as `agent_id` of decisions has. For a short value, the condition
 * repeats the index's size limit, because Postgres otherwise does not use the partial index. Longer
 * values are searched without the index.
 * @param parameter the placeholder of `value`, for example `$2`
 */
export function textCondition(column: string, value: string, parameter: string): string {
  const isEqual = `${column} collate "C" = ${parameter}::text`
  return isIndexed(value) ? `${isEqual} and octet_length(${column}) <= ${indexedBytesMax}` : isEqual
}

/** Checks whether `value` is short enough to be indexed. */
export function isIndexed(value: string): boolean {
  return Buffer.byteLength(value) <= indexedBytesMax
}

/** Returns the condition of `textCondition` as a fragment that includes its value. */
export function textEquals(column: Sql, value: string): Sql {
  const isEqual = sql`${column} collate "C" = ${value}::text`
  if (!isIndexed(value)) return isEqual
  return sql`${isEqual} and octet_length(${column}) <= ${raw(indexedBytesMax)}`
}
