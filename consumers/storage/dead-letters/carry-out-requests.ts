/** Carries out the replays and drops of dead-letter records that the API has requested. */
import { ProduceError } from '../../../platform/kafka/record-producer.ts'
import type { RecordProducer } from '../../../platform/kafka/record-producer.ts'
import { contentHashOf, replayHeadersOf } from '../../../platform/kafka/dead-letter-origin.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import { pause } from '../../../platform/process/every.ts'
import { messagesOf } from '../../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { insertMarks } from '../../../store/dead-letter-marks.ts'

/** The organization that had the most recent turn. The requests of all others come first. */
interface Turn {
  organizationId: string
}

/** @returns the state before the first turn */
export function firstTurn(): Turn {
  return { organizationId: '00000000-0000-0000-0000-000000000000' }
}

interface CarryOutOptions {
  readonly turn: Turn
  readonly reader: TopicReader
  readonly producer: RecordProducer
  readonly postgres: Postgres
  /** Topic to which records are replayed, by the name of their dead-letter topic. */
  readonly originTopics: Readonly<Record<string, string>>
}

/**
 * Maximum time to read a record, and maximum time to write it, in milliseconds. Their sum is less
 * than the time after which Postgres ends an idle transaction.
 */
const readTimeoutMs = 4000
const writeTimeoutMs = 4000

interface RequestRow extends Record<string, unknown> {
  readonly organization_id: string
  readonly dead_letter_id: string
  readonly topic: string
  readonly partition: number
  readonly letter_offset: string
  readonly written_at: Date
  readonly origin_partition: number
  readonly origin_offset: string
  readonly content_hash: Buffer
  readonly requested_action: 'replay' | 'drop'
  readonly requested_by: string
}

/**
 * Carries out the oldest request of the next organization. Requests made at the same time follow
 * the original order of their messages. Only one instance at a time carries out requests. After a
 * crash, the request is repeated: the record may then be written twice, and storage detects the
 * second copy as a duplicate.
 * @returns false if there was no request, or if another instance is carrying one out
 */
export function carryOutRequest(options: CarryOutOptions, signal: AbortSignal): Promise<boolean> {
  return options.postgres.transaction(async (transaction) => {
    const request = await takeRequest(transaction, options.turn)
    if (request === null) return false
    options.turn.organizationId = request.organization_id
    if (await copyMark(transaction, request)) return true
    const failure =
      request.requested_action === 'drop' ? null : await replay(options, request, signal)
    if (failure === null) await markHandled(transaction, request)
    else await recordFailure(transaction, request, failure)
    return true
  })
}

async function takeRequest(
  transaction: Queryable,
  { organizationId }: Turn
): Promise<RequestRow | null> {
  const [lock] = await transaction.query<{ is_locked: boolean }>(
    `select pg_try_advisory_xact_lock(
              hashtextextended('sluice dead-letter requests', 0)) as is_locked`
  )
  if (lock?.is_locked !== true) return null
  const [request] = await transaction.query<RequestRow>(
    `select organization_id, dead_letter_id, topic, partition, letter_offset::text, written_at,
            origin_partition, origin_offset::text, content_hash, requested_action, requested_by
       from dead_letters
      where requested_action is not null
      order by organization_id <= $1, organization_id, requested_at, origin_partition, origin_offset
      limit 1
        for update`,
    [organizationId]
  )
  return request ?? null
}

/**
 * Gives the record the mark that an operator set with a version of `sluice dlq` that does not
 * update the index.
 * @returns whether there is a mark
 */
async function copyMark(
  transaction: Queryable,
  { organization_id, dead_letter_id }: RequestRow
): Promise<boolean> {
  const marked = await transaction.query(
    `update dead_letters d
        set state = m.action, handled_at = m.marked_at, handled_by = m.marked_by,
            requested_action = null, failure = null
       from dead_letter_marks m
      where d.organization_id = $1
        and d.dead_letter_id = $2
        and (m.topic, m.partition, m.letter_offset, m.written_at)
            = (d.topic, d.partition, d.letter_offset, d.written_at)
     returning 1`,
    [organization_id, dead_letter_id]
  )
  return marked.length > 0
}

type Failure = 'record_deleted' | 'kafka_unavailable' | 'write_rejected'

/** Writes the record back to its original topic. Returns null if Kafka has acknowledged it. */
async function replay(
  { reader, producer, originTopics }: CarryOutOptions,
  request: RequestRow,
  signal: AbortSignal
): Promise<Failure | null> {
  const originTopic = originTopics[request.topic]
  if (originTopic === undefined) return 'record_deleted'
  try {
    const message = await readRecord(reader, request, signal)
    if (message === null) return 'record_deleted'
    const { key, value } = message
    const headers = replayHeadersOf(message)
    const record = { topic: originTopic, key, value: value ?? Buffer.alloc(0), headers }
    await inTime(producer.send([record]), signal)
    return null
  } catch (error) {
    // Leaves the request to another instance.
    if (signal.aborted) throw error
    const isRejected = error instanceof ProduceError && !error.retryable
    return isRejected ? 'write_rejected' : 'kafka_unavailable'
  }
}

/** @throws if the write is not acknowledged in time; it may still succeed */
async function inTime(written: Promise<void>, stopping: AbortSignal): Promise<void> {
  const timer = new AbortController()
  const late = pause(writeTimeoutMs, AbortSignal.any([stopping, timer.signal])).then(() => {
    throw new Error('the write was not acknowledged in time')
  })
  await Promise.race([written, late]).finally(() => timer.abort())
}

/**
 * Reads the record. Returns null if the topic no longer keeps it, or if another record is at its
 * position.
 * @throws if Kafka does not respond in time
 */
async function readRecord(
  reader: TopicReader,
  { topic, partition, letter_offset, written_at, content_hash }: RequestRow,
  stopping: AbortSignal
): Promise<Message | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(readTimeoutMs)])
  const from = BigInt(letter_offset)
  const range = { partition, from, to: from + 1n }
  for await (const message of messagesOf(reader.read(topic, [range], signal))) {
    const isSame =
      message.timestamp === written_at.getTime() && contentHashOf(message).equals(content_hash)
    return isSame ? message : null
  }
  signal.throwIfAborted()
  return null
}

/**
 * Marks the record. A replay also marks the other dead-letter records of the same message, which
 * were written by other groups or after a crash.
 */
async function markHandled(transaction: Queryable, request: RequestRow): Promise<void> {
  const isReplay = request.requested_action === 'replay'
  const records = await transaction.query<
    Pick<RequestRow, 'topic' | 'partition' | 'letter_offset' | 'written_at'>
  >(
    `select topic, partition, letter_offset::text, written_at
       from dead_letters
      where organization_id = $1
        and topic = $2
        and state = 'open'
        and case when $3 then content_hash = $4 and origin_partition = $5 and origin_offset = $6
                 else dead_letter_id = $7 end`,
    [
      request.organization_id,
      request.topic,
      isReplay,
      request.content_hash,
      request.origin_partition,
      request.origin_offset,
      request.dead_letter_id
    ]
  )
  const positions = records.map(({ topic, partition, letter_offset, written_at }) => {
    return { topic, partition, offset: BigInt(letter_offset), timestamp: written_at.getTime() }
  })
  const action = isReplay ? 'replayed' : 'dropped'
  await insertMarks(transaction, positions, { action, by: request.requested_by })
}

async function recordFailure(
  transaction: Queryable,
  { organization_id, dead_letter_id }: RequestRow,
  failure: Failure
): Promise<void> {
  await transaction.query(
    `update dead_letters
        set requested_action = null, failure = $3
      where organization_id = $1 and dead_letter_id = $2`,
    [organization_id, dead_letter_id, failure]
  )
}
