/** Compares the number of records on a topic with the number of accepted decisions. */

export interface RecordCount {
  readonly accepted: number
  /**
   * Number of decisions without a 202 response. Some may have been written, for example after a
   * timeout.
   */
  readonly refused: number
  readonly records: number
}

/** Adds up the decisions of several measurements. */
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
  const sent = `${accepted} decisions accepted (including warm-ups)`
  const found = `${sent}, ${records} records in the topic`
  if (!isComplete(count)) return `${found}: ${accepted - records} are LOST.`
  if (records === accepted) return `${found}: nothing is lost.`
  return `${found}: nothing is lost, ${records - accepted} more (${refused} were not accepted).`
}
