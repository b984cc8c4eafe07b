/** Sends records until each is acknowledged, refused for good, or out of time.
 *
 * A broker answers for a partition's batch as a whole. Where it refuses one because of a record in
 * it, the batch is halved until that record stands alone, so that it fails without its neighbours.
 */
import type { RoutedRecord } from '../record-producer.ts'

/** What one try made of a record; `divisible` is a refusal that a single record may have caused. */
export type Verdict = 'acknowledged' | 'unknown' | 'refused' | 'divisible'

export interface Tried {
  /** One for each record, in their order. */
  readonly verdicts: readonly Verdict[]
  readonly cause: unknown
}

/** Sends once. @returns null when every record is acknowledged. */
export type TrySend = (records: readonly RoutedRecord[]) => Promise<Tried | null>

export interface SendPersistentlyOptions {
  readonly trySend: TrySend
  readonly deadlineMs: number
  readonly pauseMs: number
}

export interface SendFailure {
  /** By the index of the record: whether sending it again may help. */
  readonly failures: ReadonlyMap<number, boolean>
  readonly cause: unknown
}

/** @returns null when every record is acknowledged. */
export async function sendPersistently(
  records: readonly RoutedRecord[],
  { trySend, deadlineMs, pauseMs }: SendPersistentlyOptions
): Promise<SendFailure | null> {
  const giveUpAt = performance.now() + deadlineMs
  const first = await trySend(records)
  if (first === null) return null

  const failures = new Map<number, boolean>()
  let { cause } = first
  const open = sort([...records.keys()], { verdicts: first.verdicts, records, failures })
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    if (performance.now() + pauseMs >= giveUpAt) {
      for (const index of group) failures.set(index, true)
      continue
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const tried = await trySend(group.map((index) => records[index] as RoutedRecord))
    if (tried === null) continue
    cause = tried.cause
    open.push(...sort(group, { verdicts: tried.verdicts, records, failures }))
  }
  return failures.size === 0 ? null : { failures, cause }
}

interface Sorting {
  readonly verdicts: readonly Verdict[]
  readonly records: readonly RoutedRecord[]
  readonly failures: Map<number, boolean>
}

/** Notes what has failed for good; the groups to try again, the most promising last. */
function sort(group: readonly number[], { verdicts, records, failures }: Sorting): number[][] {
  const unknown = group.filter((_, at) => verdicts[at] === 'unknown')
  const divisible = group.filter((_, at) => verdicts[at] === 'divisible')
  group.forEach((index, at) => {
    if (verdicts[at] === 'refused') failures.set(index, false)
  })
  const batches = Map.groupBy(divisible, (index) => records[index]?.partition)
  const halves = [...batches.values()].flatMap((batch) => halved(batch, failures))
  return unknown.length === 0 ? halves : [unknown, ...halves]
}

/** A record that stands alone is the one that was refused. */
function halved(batch: number[], failures: Map<number, boolean>): number[][] {
  const [only] = batch
  if (batch.length > 1) {
    const middle = Math.ceil(batch.length / 2)
    return [batch.slice(0, middle), batch.slice(middle)]
  }
  if (only !== undefined) failures.set(only, false)
  return []
}
