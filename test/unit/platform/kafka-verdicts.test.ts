/** What a failed send says of each record: read from errors as the client really throws them. */
import { expect, test } from '@jest/globals'
import {
  MultipleErrors,
  NetworkError,
  ResponseError,
  TimeoutError,
  UserError
} from '@platformatic/kafka'
import { verdictsOf } from '../../../platform/kafka-verdicts.ts'
import type { RoutedRecord } from '../../../platform/record-producer.ts'

const produceApi = 0
const version = 11

function recordsOn(...partitions: number[]): RoutedRecord[] {
  return partitions.map((partition) => ({
    ...{ topic: 't', key: null, value: Buffer.alloc(1), headers: {} },
    partition
  }))
}

/** A broker's answer with an error code for each partition, wrapped as `send` wraps it. */
function answered(codes: readonly number[]): Error {
  const partitionResponses = codes.map((errorCode, index) => ({ index, errorCode }))
  const errors = Object.fromEntries(
    codes.flatMap((code, index) => (code === 0 ? [] : [[`/${index}`, [code, null]]]))
  ) as Record<string, [number, string | null]>
  const response = { responses: [{ name: 't', partitionResponses }] }
  const error = new ResponseError(produceApi, version, errors, response)
  return new MultipleErrors('Producing messages failed.', [new MultipleErrors('1 times', [error])])
}

const tooLarge = 10
const notEnoughReplicas = 19
const notAuthorized = 29

test('a partition that was written is acknowledged beside one that was not', () => {
  const error = answered([0, notEnoughReplicas, tooLarge, notAuthorized])
  expect(verdictsOf(error, recordsOn(0, 1, 2, 3, 0))).toEqual([
    'acknowledged',
    'unknown',
    'divisible',
    'refused',
    'acknowledged'
  ])
})

test('what went well with another broker is acknowledged', () => {
  const error = new MultipleErrors('Producing messages failed.', [new NetworkError('gone')])
  Object.assign(error, { produced: { offsets: [{ topic: 't', partition: 1, offset: 0n }] } })
  expect(verdictsOf(error, recordsOn(0, 1))).toEqual(['unknown', 'acknowledged'])
})

test.each([
  ['the network', new NetworkError('gone')],
  ['a time-out', new TimeoutError('late')],
  ['anything else', new TypeError('odd')]
])('after %s nobody knows', (_what, error) => {
  expect(verdictsOf(error, recordsOn(0))).toEqual(['unknown'])
})

test('what the client itself calls final is refused', () => {
  expect(verdictsOf(new UserError('no serializer'), recordsOn(0))).toEqual(['refused'])
})
