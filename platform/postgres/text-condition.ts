/** SQL that finds a text of any length, through the index that holds those up to a bound. */

/** An entry of an index has a limit, and a foreign producer none: see 0003-decisions.sql. */
const indexedBytesMax = 1024

/**
 * A condition on `agent_id` or `session_id` of decisions; `parameter` is the place of `value` in
 * the statement, such as `$2`. The index serves only where its bound is said, so what is longer is
 * looked for without it.
 */
export function textCondition(column: string, value: string, parameter: string): string {
  const isEqual = `${column} collate "C" = ${parameter}::text`
  const isIndexed = Buffer.byteLength(value) <= indexedBytesMax
  return isIndexed ? `${isEqual} and octet_length(${column}) <= ${indexedBytesMax}` : isEqual
}
