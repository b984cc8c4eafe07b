/** Whether the topic holds what was accepted: a fast answer for a lost decision is worth nothing.
 */

export interface RecordCount {
  readonly accepted: number
  /**
   * Without an acceptance, for example past a deadline; each may have been written all the same.
   */
  readonly refused: number
  readonly records: number
}

/** Adds up what several measurements sent. */
export function totalOf(parts: readonly Omit<RecordCount, 'records'>[]) {
  return {
    accepted: parts.reduce((sum, { accepted }) => sum + accepted, 0),
    refused: parts.reduce((sum, { refused }) => sum + refused, 0)
  }
}

export function isComplete({ accepted, records }: RecordCount): boolean {
  return records >= accepted
}

export function sentenceOf(count: RecordCount): string {
  const { accepted, refused, records } = count
  const found = `${accepted} decisions accepted (warm-ups too), ${records} records in the topic`
  if (!isComplete(count)) return `${found}: ${accepted - records} are LOST.`
  if (records === accepted) return `${found}: nothing is lost.`
  return `${found}: nothing is lost, ${records - accepted} more (${refused} were not accepted).`
}
