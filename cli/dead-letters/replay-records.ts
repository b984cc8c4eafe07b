/** Writes dead-letter records back to their original topic, in their original order. */
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { OutgoingRecord, RecordProducer } from '../../platform/kafka/record-producer.ts'
import { messagesOf } from '../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { originalHeadersOf } from '../../platform/kafka/dead-letter-origin.ts'
import type { DeadLetteredMessage } from './choose-records.ts'
import { insertMarks } from '../../store/dead-letter-marks.ts'

export interface Replay {
  readonly reader: TopicReader
  readonly producer: RecordProducer
  readonly postgres: Pick<Postgres, 'transaction'>
  /** Name of the dead-letter topic. */
  readonly topic: string
  /** Topic to write the records back to. */
  readonly originTopic: string
  readonly by: string
  readonly signal: AbortSignal
  readonly progress: (replayed: number) => void
}

/**
 * Maximum number of records per write. If the command is killed, the next run may repeat the last
 * write.
 */
const chunkRecordsMax = 100
const chunkBytesMax = 1024 * 1024
/** Maximum distance in offsets between consecutive records that are read with one request. */
const distanceMax = 500n

/**
 * Writes each original message once. Marks its dead-letter records after the write is acknowledged
 * and before the next write.
 * @returns the number of replayed messages; fewer than requested after an interruption, or if
 * retention deleted records
 */
export async function replayRecords(
  origins: readonly DeadLetteredMessage[],
  replay: Replay
): Promise<number> {
  let [replayed, bytes] = [0, 0]
  let chunk: RecordToReplay[] = []

  async function flush(): Promise<void> {
    if (chunk.length === 0) return
    await replay.producer.send(chunk.map(({ message }) => recordOf(message, replay.originTopic)))
    const deadLetters = chunk.flatMap(({ origin }) => origin.deadLetters)
    const marking = { action: 'replayed', by: replay.by } as const
    await replay.postgres.transaction((transaction) =>
      insertMarks(transaction, deadLetters, marking)
    )
    replayed += chunk.length
    chunk = []
    bytes = 0
    replay.progress(replayed)
  }

  for await (const deadLetter of read(origins, replay)) {
    const size = deadLetter.message.value?.length ?? 0
    if (chunk.length === chunkRecordsMax || bytes + size > chunkBytesMax) await flush()
    if (replay.signal.aborted) return replayed
    chunk.push(deadLetter)
    bytes += size
  }
  if (!replay.signal.aborted) await flush()
  return replayed
}

interface RecordToReplay {
  readonly origin: DeadLetteredMessage
  readonly message: Message
}

async function* read(origins: readonly DeadLetteredMessage[], replay: Replay) {
  const { reader, topic, signal } = replay
  for (const run of runsOf(origins)) {
    const wanted = new Map(run.map((origin) => [origin.deadLetters[0]?.offset, origin]))
    for await (const message of messagesOf(reader.read(topic, [rangeOf(run)], signal))) {
      const origin = wanted.get(message.offset)
      if (origin !== undefined) yield { origin, message }
    }
  }
}

/**
 * Groups messages whose dead-letter records are close together, so that each group is read with one
 * request.
 */
export function runsOf(origins: readonly DeadLetteredMessage[]): DeadLetteredMessage[][] {
  const runs: DeadLetteredMessage[][] = []
  for (const origin of origins) {
    const run = runs.at(-1)
    const [before, at] = [run?.at(-1)?.deadLetters[0], origin.deadLetters[0]]
    const isNear =
      before !== undefined &&
      before.partition === at?.partition &&
      before.offset < at.offset &&
      at.offset - before.offset <= distanceMax
    if (isNear) run?.push(origin)
    else runs.push([origin])
  }
  return runs
}

function rangeOf(run: readonly DeadLetteredMessage[]): OffsetRange {
  const [first, last] = [run[0]?.deadLetters[0], run.at(-1)?.deadLetters[0]]
  if (first === undefined || last === undefined)
    throw new Error('an origin has no dead-letter record')
  return { partition: first.partition, from: first.offset, to: last.offset + 1n }
}

function recordOf(message: Message, topic: string): OutgoingRecord {
  const { key, value } = message
  return { topic, key, value: value ?? Buffer.alloc(0), headers: originalHeadersOf(message) }
}
