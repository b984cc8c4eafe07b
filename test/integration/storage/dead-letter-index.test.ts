/** Tests the index of dead-letter records, and how storage carries out replays and drops. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import {
  carryOutRequest,
  firstTurn
} from '../../../consumers/storage/dead-letters/carry-out-requests.ts'
import { indexTopic } from '../../../consumers/storage/dead-letters/index-topic.ts'
import { pruneTopic } from '../../../consumers/storage/dead-letters/prune-topic.ts'
import { deadLetter } from '../../../core/message-outcome.ts'
import { createKafkaFetcher } from '../../../platform/kafka/kafka-fetcher.ts'
import { ProduceError } from '../../../platform/kafka/record-producer.ts'
import { createTopicReader } from '../../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { insertMarks } from '../../../store/dead-letter-marks.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTopic, deleteRecords, produce } from '../../support/kafka.ts'
import { openStorage } from '../../support/open-storage.ts'
import type { OpenStorage } from '../../support/open-storage.ts'
import { services } from '../../support/services.ts'
import { FakeProducer } from '../../unit/consumers/fakes.ts'

const never = new AbortController().signal
const turn = firstTurn()
const originTopic = 'decisions-of-the-test'
const organization_id = randomUUID()

let storage: OpenStorage
let reader: TopicReader
let producer: FakeProducer
let topic: string

beforeEach(async () => {
  storage = await openStorage()
  reader = openReader(services().addresses.kafkaBrokers.split(','))
  producer = new FakeProducer()
  topic = await createTopic('dead-letter')
})

function openReader(brokers: string[]): TopicReader {
  const opened = createTopicReader(createKafkaFetcher({ brokers, clientId: 'index' }))
  onEnd(() => opened.close())
  return opened
}

/** Writes dead-letter records with these values to partition 0. */
function write(...values: string[]): Promise<void> {
  return writeWith({}, ...values)
}

/** Writes dead-letter records that have these headers instead of the usual ones. */
function writeWith(headers: Record<string, string>, ...values: string[]): Promise<void> {
  const headersOf = (index: number) => ({
    ...{ organization_id, decision_id: randomUUID(), dead_letter_reason: 'undecodable' },
    ...{ dead_letter_step: 'decode', dead_letter_error: 'e\u0000', dead_letter_group: 'g' },
    ...{ dead_letter_topic: originTopic, dead_letter_partition: '0' },
    dead_letter_offset: String(index),
    ...headers
  })
  return produce(
    topic,
    values.map((value, index) => ({ value: Buffer.from(value), headers: headersOf(index) }))
  )
}

const decode = () => Promise.resolve(deadLetter('decode', 'undecodable', 'no'))
const index = (postgres: Postgres = storage.postgres) =>
  indexTopic({ reader, postgres, clock, topic, originTopic, decode }, never)
const carryOut = (postgres: Postgres = storage.postgres, signal = never) =>
  carryOutRequest(
    { reader, producer, postgres, turn, originTopics: { [topic]: originTopic } },
    signal
  )

type StateRow = {
  readonly letter_offset: number
  readonly state: string
  readonly requested_action: string | null
  readonly failure: string | null
  readonly handled_by: string | null
}

async function states(): Promise<string[]> {
  const rows = await storage.database.query<StateRow>(
    `select letter_offset, state, requested_action, failure, handled_by
       from dead_letters order by letter_offset, written_at`
  )
  return rows.map(({ letter_offset, state, requested_action, failure, handled_by }) =>
    [letter_offset, state, requested_action, failure, handled_by].filter(Boolean).join(' ')
  )
}

/** Requests an action on all open records, as the API does. */
async function request(action: string): Promise<void> {
  await storage.database.query(
    `update dead_letters
        set requested_action = $1, requested_at = now(), requested_by = 'eve', failure = null
      where state = 'open'`,
    [action]
  )
}

const writtenValues = () => producer.records.map(({ value }) => String(value))

/** Runs the work of a transaction, and then fails as if the process had been killed. */
function crashing(): Postgres {
  return {
    ...storage.postgres,
    transaction: (work) =>
      storage.postgres.transaction(async (transaction) => {
        await work(transaction)
        throw new Error('crash')
      })
  }
}

test('indexes each record once, also after a crash and after its position is lost', async () => {
  await write('a', 'b')
  await expect(index(crashing())).rejects.toThrow('crash')
  expect(await states()).toEqual([])
  await index()
  await write('c')
  await Promise.all([index(), index()])
  expect(await states()).toEqual(['open', '1 open', '2 open'])
  await storage.database.query('delete from storage_progress')
  await index()
  expect(await states()).toEqual(['open', '1 open', '2 open'])
  const [progress] = await storage.database.query<{ next_offset: string; as_of: Date }>(
    'select next_offset, as_of from storage_progress where topic = $1',
    [topic]
  )
  expect(Number(progress?.next_offset)).toBe(3)
  expect(progress?.as_of.getTime()).toBeGreaterThan(0)
})

test('gives a record the mark that an operator set before it was indexed', async () => {
  await write('a', 'b')
  await index()
  const [row] = await storage.database.query<{ written_at: Date }>(
    'select written_at from dead_letters where letter_offset = 0'
  )
  await storage.database.query('delete from dead_letters')
  await storage.database.query('delete from storage_progress')
  const position = { topic, partition: 0, offset: 0n, timestamp: Number(row?.written_at) }
  await storage.postgres.transaction((transaction) =>
    insertMarks(transaction, [position], { action: 'replayed', by: 'ana' })
  )
  await index()
  expect(await states()).toEqual(['replayed ana', '1 open'])
})

test('indexes the records of a topic that was deleted and created again', async () => {
  await write('a', 'b')
  await index()
  await storage.database.query('update storage_progress set next_offset = 900')
  await write('c')
  await index()
  expect(await states()).toHaveLength(3)
})

test('replays in the original order, and marks a record when it is acknowledged', async () => {
  await write('a', 'b', 'c')
  await index()
  await request('replay')
  producer.failures.push(null, new ProduceError('x', { retryable: true, cause: null }))
  for (let count = 0; count < 3; count++) expect(await carryOut()).toBe(true)
  expect(await carryOut()).toBe(false)
  expect(writtenValues()).toEqual(['a', 'c'])
  const [first] = producer.records
  expect(first?.topic).toBe(originTopic)
  expect(Object.keys(first?.headers ?? {}).toSorted()).toEqual([
    'dead_letter_replay',
    'decision_id',
    'organization_id'
  ])
  expect(await states()).toEqual(['replayed eve', '1 open kafka_unavailable', '2 replayed eve'])
  producer.failures.push(new ProduceError('x', { retryable: false, cause: null }))
  await request('replay')
  await carryOut()
  expect(await states()).toContain('1 open write_rejected')
  await request('drop')
  await carryOut()
  expect(await states()).toContain('1 dropped eve')
})

test('repeats a replay after a crash between the write and the mark', async () => {
  await write('a')
  await index()
  await request('replay')
  await expect(carryOut(crashing())).rejects.toThrow('crash')
  expect(await states()).toEqual(['open replay'])
  expect(await storage.database.query('select from dead_letter_marks')).toEqual([])
  expect(await carryOut()).toBe(true)
  expect(writtenValues()).toEqual(['a', 'a'])
  expect(await states()).toEqual(['replayed eve'])
})

test('carries out one request at a time', async () => {
  await write('a', 'b')
  await index()
  await request('replay')
  const results = await Promise.all([carryOut(), carryOut(), carryOut()])
  while (await carryOut()) continue
  expect(results).toContain(false)
  expect(writtenValues()).toEqual(['a', 'b'])
})

test('replays no record that the topic has deleted, and none with other content', async () => {
  await write('a', 'b', 'c')
  await index()
  await deleteRecords(topic, { partition: 0, before: 1n })
  await storage.database.query(
    `update dead_letters set content_hash = '\\x00' where letter_offset = 1`
  )
  await request('replay')
  while (await carryOut()) continue
  expect(writtenValues()).toEqual(['c'])
  expect(await states()).toEqual(['open record_deleted', '1 open record_deleted', '2 replayed eve'])
})

test('fails a replay while Kafka is unavailable, and leaves it to others on shutdown', async () => {
  await write('a')
  await index()
  await request('replay')
  await reader.close()
  reader = openReader(['127.0.0.1:1'])
  await expect(carryOut(storage.postgres, AbortSignal.abort())).rejects.toThrow('abort')
  expect(await states()).toEqual(['open replay'])
  expect(await carryOut()).toBe(true)
  expect(writtenValues()).toEqual([])
  expect(await states()).toEqual(['open kafka_unavailable'])
})

test('deletes the entries of records that the topic has deleted', async () => {
  await write('a', 'b', 'c')
  await index()
  await deleteRecords(topic, { partition: 0, before: 2n })
  await pruneTopic({ reader, postgres: storage.postgres, topic })
  expect(await states()).toEqual(['2 open'])
})

test('neither keeps nor indexes what an erasure covers', async () => {
  await write('a')
  await index()
  await storage.database.query(
    `insert into erasures (erasure_id, organization_id, scope, received_until, requested_by)
     values ($1, $2, 'organization', now() + interval '1 day', 'ana')`,
    [randomUUID(), organization_id]
  )
  await write('b')
  await index()
  expect(await states()).toEqual(['open'])
  await pruneTopic({ reader, postgres: storage.postgres, topic })
  expect(await states()).toEqual([])
})

test('deletes no entry that was added after the end of the topic was read', async () => {
  await write('a')
  await index()
  const late: TopicReader = {
    ...reader,
    ranges: async (name) => {
      const ranges = await reader.ranges(name)
      await write('b')
      await index()
      return ranges
    }
  }
  await pruneTopic({ reader: late, postgres: storage.postgres, topic })
  expect(await states()).toEqual(['open', '1 open'])
})

test('finds the erased records among many records and many erasures', async () => {
  await write('a')
  await index()
  await storage.database.query(
    `insert into dead_letters
            (organization_id, dead_letter_id, decision_id, agent_id, topic, partition,
             letter_offset, written_at, group_id, reason, step, error, origin_topic,
             origin_partition, origin_offset, content_hash, headers, value_bytes, value_start)
     select $1, gen_random_uuid(), gen_random_uuid(), 'agent', $2, 0, 0, now(), 'g', 'r', 's', 'e',
            'o', 0, 0, '', '[]', 0, ''
       from generate_series(1, 20000)`,
    [organization_id, topic]
  )
  await storage.database.query(
    `insert into erasures
            (erasure_id, organization_id, scope, subject, received_until, requested_by)
     select gen_random_uuid(), $1, scope, subject, now() + until, 'ana'
       from generate_series(1, 20000),
            lateral (values ('decision', gen_random_uuid()::text, interval '1 day'),
                            ('agent', 'agent', interval '-1 day')) as rule (scope, subject, until)`,
    [organization_id]
  )
  await storage.database.query(
    `insert into erasures
            (erasure_id, organization_id, scope, subject, received_until, requested_by)
     select gen_random_uuid(), $1, 'decision', decision_id::text, now() + interval '1 day', 'ana'
       from dead_letters where agent_id is null`,
    [organization_id]
  )
  while (await pruneTopic({ reader, postgres: storage.postgres, topic })) continue
  const remaining = await storage.database.query('select from dead_letters where agent_id is null')
  expect(remaining).toEqual([])
}, 120_000)

test('indexes the records next to one that the index cannot hold', async () => {
  await write('a')
  await writeWith({ dead_letter_partition: '99999999999' }, 'b')
  await storage.database.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin raise exception 'no' using errcode = '22003'; end $$`
  )
  await storage.database.query(
    `create trigger refuse before insert on dead_letters for each row
       when (new.letter_offset = 2) execute function refuse()`
  )
  await write('c', 'd')
  await index()
  expect(await states()).toEqual(['open', '3 open'])
})

test('repeats no record that an older command line has marked', async () => {
  await write('a', 'b')
  await index()
  await request('replay')
  await storage.database.query(
    `insert into dead_letter_marks (topic, partition, letter_offset, written_at, action, marked_by)
     select topic, partition, letter_offset, written_at, 'dropped', 'ana'
       from dead_letters where letter_offset = 0`
  )
  while (await carryOut()) continue
  expect(writtenValues()).toEqual(['b'])
  expect(await states()).toEqual(['dropped ana', '1 replayed eve'])
})

test('takes the requests of organizations in turn', async () => {
  await write('a', 'b', 'c')
  await writeWith({ organization_id: randomUUID() }, 'd')
  await index()
  await request('replay')
  await storage.database.query(
    `update dead_letters set requested_at = now() + interval '1 minute'
      where organization_id <> $1`,
    [organization_id]
  )
  for (let count = 0; count < 2; count++) await carryOut()
  expect(writtenValues()).toContain('d')
})
