/** The dead letters of a topic, each with what was done about it. */
import type { OffsetRange } from '../../platform/kafka/log-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { letterOf } from '../records/letter.ts'
import type { Letter } from '../records/letter.ts'
import { selectStates } from './letter-marks.ts'
import type { LetterState } from './letter-marks.ts'

export interface LetterFilter {
  readonly reason?: string
  readonly group?: string
  /** When it was written, in milliseconds since 1970: from, and until but without. */
  readonly since?: number
  readonly until?: number
  /** Its place in the dead-letter topic. */
  readonly partition?: number
  readonly offset?: number
}

export interface LetterRecord {
  readonly message: Message
  /** Null for what is no dead letter of ours. */
  readonly letter: Letter | null
  readonly state: LetterState
}

export interface LetterSource {
  readonly reader: TopicReader
  readonly postgres: Queryable
  /** The dead-letter topic. */
  readonly topic: string
  readonly signal: AbortSignal
}

/** What the filter may mean; `isWanted` says of each whether it does. */
export async function* readLetters(
  source: LetterSource,
  filter: LetterFilter
): AsyncGenerator<LetterRecord[]> {
  const { reader, postgres, topic, signal } = source
  const ranges = await rangesOf(source, filter)
  for await (const { messages } of reader.read(topic, ranges, signal)) {
    const states = await selectStates(postgres, messages)
    yield messages.map((message, index) => ({
      message,
      letter: letterOf(message),
      state: states[index] ?? 'open'
    }))
  }
  signal.throwIfAborted()
}

async function rangesOf(source: LetterSource, filter: LetterFilter): Promise<OffsetRange[]> {
  const { reader, topic } = source
  const ranges = await reader.ranges(topic)
  const starts = filter.since === undefined ? [] : await reader.offsetsAt(topic, filter.since)
  return ranges
    .map((range, index) => ({ ...range, from: starts[index] ?? range.from }))
    .filter(({ partition }) => filter.partition === undefined || partition === filter.partition)
    .map((range) => (filter.offset === undefined ? range : only(range, BigInt(filter.offset))))
}

function only({ partition, from, to }: OffsetRange, offset: bigint): OffsetRange {
  const isThere = offset >= from && offset < to
  return { partition, from: isThere ? offset : to, to: isThere ? offset + 1n : to }
}

export function isWanted({ message, letter }: LetterRecord, filter: LetterFilter): boolean {
  const { timestamp, partition, offset } = message
  const { since = -Infinity, until = Infinity } = filter
  if (timestamp < since || timestamp >= until) return false
  const asked = [
    [filter.reason, letter?.reason],
    [filter.group, letter?.group],
    [filter.partition, partition],
    [filter.offset, Number(offset)]
  ]
  return asked.every(([wanted, found]) => wanted === undefined || wanted === found)
}
