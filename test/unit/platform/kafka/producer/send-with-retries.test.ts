/** Tests retries: which records are sent again, which batches are halved, and when retries stop. */
import { describe, expect, test } from '@jest/globals'
import { sendWithRetries } from '../../../../../platform/kafka/producer/send-with-retries.ts'
import type {
  ProduceResult,
  TrySend
} from '../../../../../platform/kafka/producer/send-with-retries.ts'
import { decodeRecords, encodedRecordsOf } from './records.ts'
import type { TestRecord } from './records.ts'

function recordOf(name: string, partition = 0): TestRecord {
  return { key: null, value: Buffer.from(name), headers: {}, partition }
}

/**
 * Creates a broker that returns the result of `judge` for each record, and lists the names of the
 * records in each attempt.
 */
function brokerOf(judge: (names: string[], index: number, tries: number) => ProduceResult) {
  const tries: string[][] = []
  const trySend: TrySend = (records, indexes) => {
    const all = decodeRecords(records)
    const names = indexes.map((index) => String(all[index]?.value))
    tries.push(names)
    const results = new Map(
      indexes.map((index, at) => [index, judge(names, at, tries.length)] as const)
    )
    const isTaken = [...results.values()].every((result) => result === 'acknowledged')
    return Promise.resolve(isTaken ? null : { results, cause: new Error('no') })
  }
  return { tries, trySend }
}

async function send(
  broker: ReturnType<typeof brokerOf>,
  records: readonly TestRecord[],
  deadlineMs = 9e9
) {
  const { trySend } = broker
  return sendWithRetries(encodedRecordsOf(records), { trySend, deadlineMs, pauseMs: 0 })
}

const abc = ['a', 'b', 'c'].map((name) => recordOf(name))

test('an acknowledged record is sent once', async () => {
  const broker = brokerOf(() => 'acknowledged')
  expect(await send(broker, abc)).toBeNull()
  expect(broker.tries).toEqual([['a', 'b', 'c']])
})

test('only unknown records are sent again', async () => {
  const broker = brokerOf((names, index, tries) =>
    names[index] === 'b' && tries < 3 ? 'unknown' : 'acknowledged'
  )
  expect(await send(broker, abc)).toBeNull()
  expect(broker.tries).toEqual([['a', 'b', 'c'], ['b'], ['b']])
})

test('rejected records are not sent again', async () => {
  const broker = brokerOf((names, index) => (names[index] === 'b' ? 'refused' : 'acknowledged'))
  const failed = await send(broker, abc)
  expect([...(failed?.failures ?? [])]).toEqual([[1, false]])
  expect(broker.tries).toHaveLength(1)
})

test('nothing is sent after the deadline, and unknown records stay unknown', async () => {
  const broker = brokerOf(() => 'unknown')
  const failed = await send(broker, abc, 0)
  expect([...(failed?.failures ?? [])]).toEqual([
    [0, true],
    [1, true],
    [2, true]
  ])
  expect(broker.tries).toHaveLength(1)
})

describe('a batch rejected because of one record', () => {
  const names = Array.from({ length: 40 }, (_, index) => `r${index}`)
  const spoilt = new Set(['r7', 'r31'])

  test('is halved until that record is alone, and the others are accepted', async () => {
    const broker = brokerOf((batch) =>
      batch.some((name) => spoilt.has(name)) ? 'divisible' : 'acknowledged'
    )
    const records = names.map((name) => recordOf(name))
    const failed = await send(broker, records)
    expect([...(failed?.failures ?? [])].toSorted(([a], [b]) => a - b)).toEqual([
      [7, false],
      [31, false]
    ])
    expect(broker.tries.length).toBeLessThan(25)
  })

  test('does not affect the other partitions of the same send', async () => {
    const broker = brokerOf((batch, index) => {
      const isSecond = batch[index] === 'x' || batch[index] === 'bad'
      return isSecond && batch.includes('bad') ? 'divisible' : 'acknowledged'
    })
    const failed = await send(broker, [recordOf('a'), recordOf('x', 1), recordOf('bad', 1)])
    expect([...(failed?.failures ?? [])]).toEqual([[2, false]])
    expect(broker.tries.slice(1).flat()).not.toContain('a')
  })
})
