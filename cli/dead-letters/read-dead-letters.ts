/** Reads the dead-letter records of a topic, with their state. */
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { parseDeadLetter } from '../../platform/kafka/dead-letter-origin.ts'
import type { DeadLetterOrigin } from '../../platform/kafka/dead-letter-origin.ts'
import { selectStates } from '../../store/dead-letter-marks.ts'
import type { RecordState } from '../../store/dead-letter-marks.ts'

export interface DeadLetterFilter {
  readonly reason?: string
  readonly group?: string
  /** Bounds of the write time, in milliseconds since 1970. `until` is exclusive. */
  readonly since?: number
  readonly until?: number
  /** Position in the dead-letter topic. */
  readonly partition?: number
  readonly offset?: number
}

export interface DeadLetterRecord {
  readonly message: Message
  /** Null for a record that Sluice did not write. */
  readonly deadLetter: DeadLetterOrigin | null
  readonly state: RecordState
}

export interface DeadLetterSource {
  readonly reader: TopicReader
  readonly postgres: Queryable
  /** Name of the dead-letter topic. */
  readonly topic: string
  readonly signal: AbortSignal
}

/** Yields a superset of the matching records. The caller must filter them with `isWanted`. */
export async function* readDeadLetters(
  source: DeadLetterSource,
  filter: DeadLetterFilter
): AsyncGenerator<DeadLetterRecord[]> {
  const { reader, postgres, topic, signal } = source
  const ranges = await rangesOf(source, filter)
  for await (const { messages } of reader.read(topic, ranges, signal)) {
    const states = await selectStates(postgres, messages)
    yield messages.map((message, index) => ({
      message,
      deadLetter: parseDeadLetter(message),
      state: states[index] ?? 'open'
    }))
  }
  signal.throwIfAborted()
}

async function rangesOf(
  source: DeadLetterSource,
  filter: DeadLetterFilter
): Promise<OffsetRange[]> {
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

export function isWanted(
  { message, deadLetter }: DeadLetterRecord,
  filter: DeadLetterFilter
): boolean {
  const { timestamp, partition, offset } = message
  const { since = -Infinity, until = Infinity } = filter
  if (timestamp < since || timestamp >= until) return false
  const asked = [
    [filter.reason, deadLetter?.reason],
    [filter.group, deadLetter?.group],
    [filter.partition, partition],
    [filter.offset, Number(offset)]
  ]
  return asked.every(([wanted, found]) => wanted === undefined || wanted === found)
}
