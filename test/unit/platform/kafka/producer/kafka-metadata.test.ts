/** What a broker says of its topics, read from errors as the client really throws them. */
import { expect, test } from '@jest/globals'
import { MultipleErrors, NetworkError, ResponseError } from '@platformatic/kafka'
import { clusterIn } from '../../../../../platform/kafka/producer/kafka-metadata.ts'

const metadataApi = 3
const version = 12
const leaderless = 5
const unknownTopic = 3

/** An answer in which partition 1 has no leader. */
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

test('one partition without a leader hides no other', () => {
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
  ['no broker answered', new NetworkError('gone'), ['t']],
  ['the topic is missing', errorOf(unknownTopic), ['t']],
  ['another topic was not told of', errorOf(), ['t', 'u']],
  ['it is no error of the client', new TypeError('odd'), ['t']]
])('nothing is known when %s', (_why, error, topics) => {
  expect(clusterIn(error, topics)).toBeNull()
})
