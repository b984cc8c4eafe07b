/** Finds the offsets of a window for which the audited group wrote a dead-letter record. */
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import { parseDeadLetter } from '../../platform/kafka/dead-letter-origin.ts'
import { createAuditBudget } from './audit-budget.ts'

interface DeadLetterQuery {
  readonly reader: TopicReader
  readonly signal: AbortSignal
  readonly topic: string
  readonly deadLetterTopic: string
  readonly group: string
  /** Offsets of the window per partition. */
  readonly ranges: readonly OffsetRange[]
  readonly limits: DeadLetterLimits
}

export interface DeadLetterLimits {
  /** Maximum bytes of dead-letter records to read. */
  readonly bytesMax: number
  /** Maximum number of dead-lettered messages to remember. Each takes about 120 bytes. */
  readonly deadLettersMax: number
  /**
   * How far before a slice to read dead-letter records. The clock that stamps a dead-letter record
   * may be behind the clock that stamped its message.
   */
  readonly clockSkewMs: number
}

/**
 * Returns the reason in the dead-letter record of a message, or undefined if no such record exists.
 */
export type ReasonOf = (partition: number, offset: bigint) => string | undefined

/** A part of the window. Each slice is earlier than the one before. */
interface Slice {
  /** Start of the slice, in milliseconds since 1970. */
  readonly from: number
  readonly ranges: readonly OffsetRange[]
  /** Whether to read the slice whatever its size, without counting its bytes. */
  readonly isRequired: boolean
}

export interface DeadLetteredOffsets {
  readonly reasonOf: ReasonOf
  /**
   * Reads the dead-letter records of a slice, except those that earlier calls read.
   * @returns false if a limit is exceeded, so that `reasonOf` lacks messages of the slice
   */
  read(slice: Slice): Promise<boolean>
}

/**
 * Finds the dead-letter records that the group wrote for the window. Ignores records written after
 * this call. Keeps one entry in memory per dead-lettered message.
 */
export async function findDeadLetteredOffsets(
  query: DeadLetterQuery
): Promise<DeadLetteredOffsets> {
  const { reader, deadLetterTopic, limits, signal } = query
  const reasons = new Map<string, string>()
  const budget = createAuditBudget(limits.bytesMax)
  let unread = await reader.ranges(deadLetterTopic)
  let isFull = false

  function add(message: Message, { ranges, isRequired }: Slice): void {
    const deadLetter = parseDeadLetter(message)
    if (deadLetter?.origin.topic !== query.topic || deadLetter.group !== query.group) return
    const { partition, offset } = deadLetter.origin
    if (!isWithin(query.ranges, deadLetter.origin)) return
    const mustFit = isRequired && isWithin(ranges, deadLetter.origin)
    if (!mustFit && reasons.size >= limits.deadLettersMax) isFull = true
    else reasons.set(`${partition}/${offset}`, deadLetter.reason)
  }

  return {
    reasonOf: (partition, offset) => reasons.get(`${partition}/${offset}`),
    read: async (slice) => {
      const starts = await reader.offsetsAt(deadLetterTopic, slice.from - limits.clockSkewMs)
      const wanted = unread.map((range, index) => startAt(range, starts[index]))
      unread = unread.map((range, index) => ({ ...range, to: wanted[index]?.from ?? range.to }))
      for await (const fetched of reader.read(deadLetterTopic, wanted, signal)) {
        if (!slice.isRequired && !budget.take(fetched)) return false
        for (const message of fetched.messages) add(message, slice)
      }
      return slice.isRequired || !isFull
    }
  }
}

function isWithin(
  ranges: readonly OffsetRange[],
  { partition, offset }: { readonly partition: number; readonly offset: bigint }
): boolean {
  const range = ranges[partition]
  return range !== undefined && offset >= range.from && offset < range.to
}

/** Moves the start of the range to the offset, but not out of the range. */
function startAt(range: OffsetRange, offset = range.from): OffsetRange {
  if (offset <= range.from) return range
  return { ...range, from: offset < range.to ? offset : range.to }
}
