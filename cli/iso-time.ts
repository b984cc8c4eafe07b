/** Formats timestamps as text. */

/** Formats a time in ISO 8601. Returns null for an invalid time, because records may have arbitrary
 * timestamps.
 */
export function isoTime(ms: number): string | null {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Formats a time for display, to the second. */
export function shortTime(ms: number): string {
  return isoTime(ms)?.replace('T', ' ').slice(0, 19) ?? '-'
}
