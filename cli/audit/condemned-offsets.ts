/** Which offsets of a window have a dead letter of the group that is audited. */
import type { OffsetRange } from '../../platform/kafka/log-fetcher.ts'
import { messagesOf } from '../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { letterOf } from '../records/letter.ts'

export interface CondemnedQuestion {
  readonly reader: TopicReader
  readonly signal: AbortSignal
  /** The topic that is audited, and that of its dead letters. */
  readonly topic: string
  readonly deadLetterTopic: string
  readonly group: string
  /** What is audited of each partition. */
  readonly ranges: readonly OffsetRange[]
  /** When the oldest message of the window was written, in milliseconds since 1970. */
  readonly from: number
}

/** The reason of the letter; undefined where there is none. */
export type ReasonOf = (partition: number, offset: bigint) => string | undefined

/** A letter is written after its message, but perhaps by a clock that is behind. */
const clockSkewMs = 3_600_000

/** Holds one entry for each dead letter of the window. */
export async function readCondemnedOffsets(question: CondemnedQuestion): Promise<ReasonOf> {
  const { reader, topic, deadLetterTopic, group, ranges, signal } = question
  const audited = new Map(ranges.map((range) => [range.partition, range]))
  const reasons = new Map<string, string>()
  const ends = await reader.ranges(deadLetterTopic)
  const starts = await reader.offsetsAt(deadLetterTopic, question.from - clockSkewMs)
  const wanted = ends.map((range, index) => ({ ...range, from: starts[index] ?? range.from }))
  for await (const message of messagesOf(reader.read(deadLetterTopic, wanted, signal))) {
    const letter = letterOf(message)
    if (letter?.origin.topic !== topic || letter.group !== group) continue
    const { partition, offset } = letter.origin
    const range = audited.get(partition)
    if (range === undefined || offset < range.from || offset >= range.to) continue
    reasons.set(`${partition}/${offset}`, letter.reason)
  }
  return (partition, offset) => reasons.get(`${partition}/${offset}`)
}
