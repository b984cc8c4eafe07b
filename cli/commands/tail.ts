/** `sluice tail`: prints the records of a topic as JSON lines. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { messagesOf } from '../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { Output } from '../output.ts'
import { createDecodeRecord } from '../records/decode-record.ts'
import type { RecordContent } from '../records/decode-record.ts'
import { matches } from '../records/record-filter.ts'
import type { RecordFilter } from '../records/record-filter.ts'
import { recordLine } from '../records/record-line.ts'
import { withTopicReader } from '../with-topic-reader.ts'

export interface TailOptions extends RecordFilter {
  /** `decisions`, `evaluations`, `dead-letters`, `evaluation-dead-letters`, or a topic name. */
  readonly topic: string
  readonly follow?: boolean
  /** In milliseconds since 1970. */
  readonly since?: number
  readonly fromBeginning?: boolean
  /** Number of most recent records to read per partition. Filters may leave fewer to print. */
  readonly last?: number
  /** Maximum number of lines to print. */
  readonly limit?: number
  readonly payload: boolean
}

interface TailContext {
  readonly output: Output
  readonly signal: AbortSignal
}

const lastDefault = 10n

export async function tail(
  environment: Environment,
  options: TailOptions,
  { output, signal }: TailContext
): Promise<void> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    'SCHEMA_REGISTRY_URL',
    'SCHEMA_REGISTRY_TLS_CA',
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC'
  ])
  const topic = topicOf(options.topic, config.DECISIONS_TOPIC, config.EVALUATIONS_TOPIC)
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  const describe = createDecodeRecord(registry, contentOf(topic, config.EVALUATIONS_TOPIC))
  const ended = AbortSignal.any([signal, output.closed])
  const limit = options.limit ?? Infinity

  await withTopicReader(config, async (reader) => {
    let printed = 0
    for await (const message of select(reader, { topic, options, signal: ended })) {
      const described = await describe(message)
      if (!matches(described, options)) continue
      await output.write(`${recordLine(described, options)}\n`)
      printed += 1
      if (printed >= limit || ended.aborted) return
    }
  })
}

/** Resolves a short name to the topic name in this installation. */
function topicOf(name: string, decisions: string, evaluations: string): string {
  const known = new Map([
    ['decisions', decisions],
    ['evaluations', evaluations],
    ['dead-letters', deadLetterTopicOf(decisions)],
    ['evaluation-dead-letters', deadLetterTopicOf(evaluations)]
  ])
  return known.get(name) ?? name
}

/**
 * Returns the expected content of a topic. Assumes that an unknown topic holds decisions, because
 * it is probably a copy of the decisions topic or the decisions topic of another installation.
 */
function contentOf(topic: string, evaluations: string): RecordContent {
  const isOfEvaluations = topic === evaluations || topic === deadLetterTopicOf(evaluations)
  return isOfEvaluations ? 'evaluation' : 'decision'
}

interface Selection {
  readonly topic: string
  readonly options: TailOptions
  readonly signal: AbortSignal
}

async function* select(reader: TopicReader, selection: Selection): AsyncGenerator<Message> {
  const { topic, options, signal } = selection
  const ranges = await reader.ranges(topic)
  const starts = await startsOf(reader, ranges, selection)
  const wanted = ranges.map((range, index) => ({ ...range, from: starts[index] ?? range.from }))
  yield* messagesOf(reader.read(topic, wanted, signal))
  if (options.follow !== true) return
  const ends = ranges.map(({ to }) => to)
  yield* messagesOf(reader.follow(topic, ends, signal))
}

async function startsOf(
  reader: TopicReader,
  ranges: readonly OffsetRange[],
  { topic, options }: Selection
): Promise<bigint[]> {
  if (options.fromBeginning === true) return ranges.map(({ from }) => from)
  if (options.since !== undefined) return await reader.offsetsAt(topic, options.since)
  const last = options.last === undefined ? lastDefault : BigInt(options.last)
  return ranges.map(({ from, to }) => (to - last > from ? to - last : from))
}
