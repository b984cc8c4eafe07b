/** Writes dead letters back to the topic that they came from, in the order they had there. */
import type { OffsetRange } from '../../platform/kafka/log-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { OutgoingRecord, RecordProducer } from '../../platform/kafka/record-producer.ts'
import { messagesOf } from '../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { originalHeadersOf } from '../records/letter.ts'
import type { CondemnedOrigin } from './choose-letters.ts'
import { insertMarks } from './letter-marks.ts'

export interface Replay {
  readonly reader: TopicReader
  readonly producer: RecordProducer
  readonly postgres: Queryable
  /** The dead-letter topic, and where its letters go back to. */
  readonly topic: string
  readonly originTopic: string
  readonly by: string
  readonly signal: AbortSignal
  readonly progress: (replayed: number) => void
}

/** Records that are under way at a time, and their bytes: what an interruption may repeat. */
const chunkRecordsMax = 100
const chunkBytesMax = 1024 * 1024
/** Letters that are farther apart are read one by one. */
const distanceMax = 500n

/**
 * Each origin once, acknowledged before its letters are marked and the next ones are sent.
 * @returns how many were replayed; the rest was interrupted, or retention has removed it meanwhile.
 */
export async function replayLetters(
  origins: readonly CondemnedOrigin[],
  replay: Replay
): Promise<number> {
  let [replayed, bytes] = [0, 0]
  let chunk: LetterAt[] = []

  async function flush(): Promise<void> {
    if (chunk.length === 0) return
    await replay.producer.send(chunk.map(({ message }) => recordOf(message, replay.originTopic)))
    const letters = chunk.flatMap(({ origin }) => origin.letters)
    await insertMarks(replay.postgres, letters, { action: 'replayed', by: replay.by })
    replayed += chunk.length
    chunk = []
    bytes = 0
    replay.progress(replayed)
  }

  for await (const letter of read(origins, replay)) {
    const size = letter.message.value?.length ?? 0
    if (chunk.length === chunkRecordsMax || bytes + size > chunkBytesMax) await flush()
    if (replay.signal.aborted) return replayed
    chunk.push(letter)
    bytes += size
  }
  if (!replay.signal.aborted) await flush()
  return replayed
}

interface LetterAt {
  readonly origin: CondemnedOrigin
  readonly message: Message
}

async function* read(origins: readonly CondemnedOrigin[], replay: Replay) {
  const { reader, topic, signal } = replay
  for (const run of runsOf(origins)) {
    const wanted = new Map(run.map((origin) => [origin.letters[0]?.offset, origin]))
    for await (const message of messagesOf(reader.read(topic, [rangeOf(run)], signal))) {
      const origin = wanted.get(message.offset)
      if (origin !== undefined) yield { origin, message }
    }
  }
}

/** Origins whose letters lie one behind the other, so that they are read together. */
export function runsOf(origins: readonly CondemnedOrigin[]): CondemnedOrigin[][] {
  const runs: CondemnedOrigin[][] = []
  for (const origin of origins) {
    const run = runs.at(-1)
    const [before, at] = [run?.at(-1)?.letters[0], origin.letters[0]]
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

function rangeOf(run: readonly CondemnedOrigin[]): OffsetRange {
  const [first, last] = [run[0]?.letters[0], run.at(-1)?.letters[0]]
  if (first === undefined || last === undefined) throw new Error('an origin has no letter')
  return { partition: first.partition, from: first.offset, to: last.offset + 1n }
}

function recordOf(message: Message, topic: string): OutgoingRecord {
  const { key, value } = message
  return { topic, key, value: value ?? Buffer.alloc(0), headers: originalHeadersOf(message) }
}
