/** Tests that a broker can read Produce requests, and that its responses are parsed. */
import { describe, expect, test } from '@jest/globals'
import { Reader, readRecordsBatch, Writer } from '@platformatic/kafka'
import {
  readProduceResponse,
  requireProduce,
  writeProduceRequest
} from '../../../../../platform/kafka/producer/kafka-produce-request.ts'
import type {
  PartitionRecords,
  PartitionResult
} from '../../../../../platform/kafka/producer/kafka-produce-request.ts'
import { noon } from '../../../../support/builders.ts'
import { encodedRecordsOf, RecordingPool } from './records.ts'

const timeoutMs = 9000

/** Writes a request with the records `texts` into a buffer of exactly the size that it takes. */
function requestOf(
  topic: string,
  texts: readonly string[],
  partitions: readonly PartitionRecords[]
): Buffer {
  const records = encodedRecordsOf(
    texts.map((text) => ({ key: null, value: Buffer.from(text), headers: {} }))
  )
  const request = { topic, records, partitions, timeoutMs, timestamp: noon }
  const pool = new RecordingPool()
  const { bytes, at } = writeProduceRequest(request, pool)
  expect(pool.taken).toEqual([bytes])
  return bytes.subarray(0, at)
}

function readRequest(request: Buffer) {
  const reader = Reader.from(request)
  const transactionalId = reader.readNullableString()
  const acks = reader.readInt16()
  const timeout = reader.readInt32()
  const topics = reader.readArray((topic) => ({
    name: topic.readString(),
    partitions: topic.readArray((partition) => ({
      index: partition.readInt32(),
      values: valuesIn(partition.readBytes())
    }))
  }))
  reader.readTaggedFields()
  return { transactionalId, acks, timeout, topics, left: reader.remaining }
}

function valuesIn(batch: Buffer): string[] {
  return readRecordsBatch(Reader.from(batch)).records.map(({ value }) => String(value))
}

test('contains a batch for each partition of the topic, and nothing more', () => {
  const request = requestOf(
    'темы',
    ['1', '3', '2', '4'],
    [
      { partition: 7, indexes: [0, 2] },
      { partition: 0, indexes: [1] },
      { partition: 300, indexes: [3] }
    ]
  )
  expect(readRequest(request)).toEqual({
    transactionalId: null,
    acks: -1,
    timeout: timeoutMs,
    topics: [
      {
        name: 'темы',
        partitions: [
          { index: 7, values: ['1', '2'] },
          { index: 0, values: ['3'] },
          { index: 300, values: ['4'] }
        ]
      }
    ],
    left: 0
  })
})

test('fits its buffer with a topic name of the maximum length and many partitions', () => {
  const name = 't'.repeat(249)
  const texts = Array.from({ length: 2000 }, (_, index) => String(index))
  const partitions = texts.map((_, index) => ({ partition: index, indexes: [index] }))
  const { topics, left } = readRequest(requestOf(name, texts, partitions))
  expect(topics.map((topic) => topic.name)).toEqual([name])
  expect(topics[0]?.partitions.flatMap(({ values }) => values)).toEqual(texts)
  expect(left).toBe(0)
})

/** Builds a response as a broker writes it, with errors of individual records. */
function answerOf(answers: readonly PartitionResult[]): Buffer {
  const topics = [...Map.groupBy(answers, ({ topic }) => topic)]
  const writer = Writer.create().appendArray(topics, (whole, [name, partitions]) => {
    whole.appendString(name).appendArray(partitions, (part, { partition, errorCode }) => {
      part.appendInt32(partition).appendInt16(errorCode)
      part.appendInt64(41n).appendInt64(-1n).appendInt64(0n)
      part.appendArray([3, 4], (error, index) => error.appendInt32(index).appendString('too large'))
      part.appendString(errorCode === 0 ? null : 'no')
    })
  })
  return writer.appendInt32(0).appendTaggedFields().buffer
}

test('a response has the result of each partition', () => {
  const answers = [
    { topic: 'a', partition: 3, errorCode: 0 },
    { topic: 'a', partition: 1, errorCode: 10 },
    { topic: 'b', partition: 0, errorCode: -1 }
  ]
  expect(readProduceResponse(Reader.from(answerOf(answers)))).toEqual(answers)
})

test('a truncated response is an error, not an acknowledgement', () => {
  const whole = answerOf([{ topic: 'a', partition: 3, errorCode: 0 }])
  expect(() => readProduceResponse(Reader.from(whole.subarray(0, 12)))).toThrow()
})

describe('the version', () => {
  const spoken = (minVersion: number, maxVersion: number) => [{ apiKey: 0, minVersion, maxVersion }]

  test.each([
    [0, 9],
    [3, 12],
    [9, 9]
  ])('is accepted for a broker that supports %d to %d', (from, to) => {
    expect(() => requireProduce(spoken(from, to))).not.toThrow()
  })

  test.each([
    [0, 8],
    [10, 14]
  ])('is rejected with a message for a broker that supports %d to %d', (from, to) => {
    expect(() => requireProduce(spoken(from, to))).toThrow(
      `the broker supports Produce in versions ${from} to ${to}, not 9; use Kafka 2.8 or newer`
    )
  })

  test('is rejected for a broker without the API', () => {
    expect(() => requireProduce([])).toThrow('versions none')
  })
})
