/** Times as text. */

/** Null for what is none: anyone may write a record with any time. */
export function isoTime(ms: number): string | null {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** To the second, for people. */
export function shortTime(ms: number): string {
  return isoTime(ms)?.replace('T', ' ').slice(0, 19) ?? '-'
}
