/** Sends records until each is acknowledged or permanently rejected, or the deadline passes.
 *
 * A broker accepts or rejects the batch of a partition as a whole. If a single record may have
 * caused the rejection, the batch is halved repeatedly until that record fails alone.
 */
import type { EncodedRecords } from './encoded-records.ts'

/**
 * Result of one attempt for a record. `unknown`: the record may have been written. `divisible`: the
 * broker rejected the batch, possibly because of a single record.
 */
export type ProduceResult = 'acknowledged' | 'unknown' | 'refused' | 'divisible'

export interface SendAttempt {
  /** The result of each record, by its index. */
  readonly results: ReadonlyMap<number, ProduceResult>
  readonly cause: unknown
}

/**
 * Makes one attempt to send the records at `indexes`.
 * @returns null if every record is acknowledged
 */
export type TrySend = (
  records: EncodedRecords,
  indexes: readonly number[]
) => Promise<SendAttempt | null>

interface SendWithRetriesOptions {
  readonly trySend: TrySend
  readonly deadlineMs: number
  readonly pauseMs: number
}

interface SendFailure {
  /** Whether a retry can succeed, by the index of the failed record. */
  readonly failures: ReadonlyMap<number, boolean>
  readonly cause: unknown
}

/** @returns null if every record is acknowledged */
export async function sendWithRetries(
  records: EncodedRecords,
  { trySend, deadlineMs, pauseMs }: SendWithRetriesOptions
): Promise<SendFailure | null> {
  const giveUpAt = performance.now() + deadlineMs
  const all = [...records.buffers.keys()]
  const first = await trySend(records, all)
  if (first === null) return null

  const failures = new Map<number, boolean>()
  let { cause } = first
  const open = sort(all, { results: first.results, records, failures })
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    if (performance.now() + pauseMs >= giveUpAt) {
      for (const index of group) failures.set(index, true)
      continue
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const attempt = await trySend(records, group)
    if (attempt === null) continue
    cause = attempt.cause
    open.push(...sort(group, { results: attempt.results, records, failures }))
  }
  return failures.size === 0 ? null : { failures, cause }
}

interface Sorting extends Pick<SendAttempt, 'results'> {
  readonly records: EncodedRecords
  readonly failures: Map<number, boolean>
}

/** Stores permanent failures and returns the groups to retry. The last group is retried first. */
function sort(group: readonly number[], { results, records, failures }: Sorting): number[][] {
  const unknown = group.filter((index) => results.get(index) === 'unknown')
  const divisible = group.filter((index) => results.get(index) === 'divisible')
  for (const index of group) {
    if (results.get(index) === 'refused') failures.set(index, false)
  }
  const batches = Map.groupBy(divisible, (index) => records.partitions[index])
  const halves = [...batches.values()].flatMap((batch) => halved(batch, failures))
  return unknown.length === 0 ? halves : [unknown, ...halves]
}

/** Halves a rejected batch. If the batch has only one record, that record fails permanently. */
function halved(batch: number[], failures: Map<number, boolean>): number[][] {
  const [only] = batch
  if (batch.length > 1) {
    const middle = Math.ceil(batch.length / 2)
    return [batch.slice(0, middle), batch.slice(middle)]
  }
  if (only !== undefined) failures.set(only, false)
  return []
}
