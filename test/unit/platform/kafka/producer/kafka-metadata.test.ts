/** Tests that metadata is read from the errors that the client actually throws. */
import { expect, test } from '@jest/globals'
import { MultipleErrors, NetworkError, ResponseError } from '@platformatic/kafka'
import { clusterIn } from '../../../../../platform/kafka/producer/kafka-metadata.ts'

const metadataApi = 3
const version = 12
const leaderless = 5
const unknownTopic = 3

/** Returns an error with a response in which partition 1 has no leader. */
function errorOf(errorCode = 0): Error {
  const partitions = [
    { partitionIndex: 2, leaderId: 7 },
    { partitionIndex: 0, leaderId: 8 },
    { partitionIndex: 1, leaderId: -1 }
  ]
  const response = {
    brokers: [7, 8].map((nodeId) => ({ nodeId, host: 'h', port: 9000 + nodeId, rack: null })),
    topics: [{ name: 't', errorCode, partitions }]
  }
  const errors: Record<string, [number, null]> = { '/topics/0/partitions/2': [leaderless, null] }
  return new ResponseError(metadataApi, version, errors, response)
}

test('a partition without a leader does not hide the others', () => {
  const wrapped = new MultipleErrors('3 times', [new NetworkError('gone'), errorOf()])
  for (const error of [errorOf(), wrapped]) {
    const cluster = clusterIn(error, ['t'])
    expect(cluster?.topics.get('t')).toEqual({
      partitionsCount: 3,
      partitions: [{ leader: 8 }, { leader: -1 }, { leader: 7 }]
    })
    expect(cluster?.brokers.get(7)).toMatchObject({ host: 'h', port: 9007 })
  }
})

test.each([
  ['no broker responded', new NetworkError('gone'), ['t']],
  ['the topic does not exist', errorOf(unknownTopic), ['t']],
  ['another topic is missing in the response', errorOf(), ['t', 'u']],
  ['the error is not from the client', new TypeError('odd'), ['t']]
])('returns null if %s', (_why, error, topics) => {
  expect(clusterIn(error, topics)).toBeNull()
})
