/** Finds the offsets of a window for which the audited group wrote a dead-letter record. */
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { parseDeadLetter } from '../../platform/kafka/dead-letter-origin.ts'
import type { AuditBudget } from './audit-budget.ts'

interface DeadLetterQuery {
  readonly reader: TopicReader
  readonly signal: AbortSignal
  readonly topic: string
  readonly deadLetterTopic: string
  readonly group: string
  /** Audited offsets per partition. */
  readonly ranges: readonly OffsetRange[]
  /** Start of the window, in milliseconds since 1970. */
  readonly from: number
  readonly budget: AuditBudget
}

/**
 * Returns the reason in the dead-letter record of a message, or undefined if no such record exists.
 */
export type ReasonOf = (partition: number, offset: bigint) => string | undefined

/**
 * How far before the window to read dead-letter records. The clock that stamps a dead-letter record
 * may be behind the clock that stamped its message.
 */
const clockSkewMs = 3_600_000

/**
 * Reads the dead-letter records that the group wrote for the audited offsets. Keeps one entry in
 * memory per dead-lettered message.
 * @throws if they exceed the byte limit
 */
export async function readDeadLetteredOffsets(query: DeadLetterQuery): Promise<ReasonOf> {
  const { reader, topic, deadLetterTopic, group, ranges, signal } = query
  const audited = new Map(ranges.map((range) => [range.partition, range]))
  const reasons = new Map<string, string>()
  const ends = await reader.ranges(deadLetterTopic)
  const starts = await reader.offsetsAt(deadLetterTopic, query.from - clockSkewMs)
  const wanted = ends.map((range, index) => ({ ...range, from: starts[index] ?? range.from }))
  for await (const fetched of reader.read(deadLetterTopic, wanted, signal)) {
    if (!query.budget.take(fetched))
      throw new Error('the dead-letter records exceed the byte limit')
    for (const message of fetched.messages) {
      const deadLetter = parseDeadLetter(message)
      if (deadLetter?.origin.topic !== topic || deadLetter.group !== group) continue
      const { partition, offset } = deadLetter.origin
      const range = audited.get(partition)
      if (range === undefined || offset < range.from || offset >= range.to) continue
      reasons.set(`${partition}/${offset}`, deadLetter.reason)
    }
  }
  return (partition, offset) => reasons.get(`${partition}/${offset}`)
}
