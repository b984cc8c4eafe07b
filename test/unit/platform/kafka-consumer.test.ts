/** When a consumer that died ends its process, and when kafkajs begins anew. */
import { expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import type { Consumer, ConsumerCrashEvent, ConsumerRunConfig, EachBatchPayload } from 'kafkajs'
import { createKafkaConsumer } from '../../../platform/kafka-consumer.ts'

function createDying() {
  const listeners = new Map<string, (event: unknown) => void>()
  const on = (name: string, listener: (event: unknown) => void) => listeners.set(name, listener)
  const crashes: Error[] = []
  const consumer = createKafkaConsumer({
    consumer: { on } as unknown as Consumer,
    partitionsMax: 1,
    onCrash: (error) => crashes.push(error)
  })
  const die = (payload: Omit<ConsumerCrashEvent['payload'], 'groupId'>) =>
    listeners.get('consumer.crash')?.({ payload })
  const join = (memberAssignment: Record<string, number[]> = {}) =>
    listeners.get('consumer.group_join')?.({ payload: { memberAssignment } })
  return { consumer, crashes, die, join }
}

test('a death that kafkajs mends itself ends nothing, but the group is left', () => {
  const { consumer, crashes, die, join } = createDying()
  join()
  die({ error: new Error('the coordinator is loading'), restart: true })
  expect(crashes).toEqual([])
  expect(consumer.isJoined()).toBe(false)
  join()
  expect(consumer.isJoined()).toBe(true)
})

test('it knows which partitions it was given last', () => {
  const { consumer, join } = createDying()
  expect(consumer.isAssigned('decisions', 1)).toBe(false)
  join({ decisions: [0, 1] })
  expect(consumer.isAssigned('decisions', 1)).toBe(true)
  join({ decisions: [0] })
  expect(consumer.isAssigned('decisions', 1)).toBe(false)
  expect(consumer.isAssigned('evaluations', 0)).toBe(false)
})

test.each([
  ['a bug of ours is told, since the client would begin anew for ever', new TypeError('bug'), 1],
  ['an error of the client is its own to mend', new kafkajs.KafkaJSError('rebalancing'), 0]
])('%s', async (_what, error, told) => {
  const crashes: Error[] = []
  const runs: ConsumerRunConfig[] = []
  const ready = (): Promise<void> => Promise.resolve()
  const client = { on: () => {}, connect: ready, subscribe: ready, run: runs.push.bind(runs) }
  const consumer = createKafkaConsumer({
    consumer: client as unknown as Consumer,
    partitionsMax: 1,
    onCrash: (crash) => crashes.push(crash)
  })
  await consumer.run(['t'], () => Promise.reject(error))
  const batch = {
    topic: 't',
    partition: 0,
    messages: [],
    highWatermark: '0',
    lastOffset: () => '0'
  }
  const delivered = runs[0]?.eachBatch?.({ batch } as unknown as EachBatchPayload)
  await expect(delivered).rejects.toBe(error)
  expect(crashes).toEqual(Array<Error>(told).fill(error))
})

test('a death for good is told', () => {
  const { crashes, die } = createDying()
  const error = new Error('not allowed')
  die({ error, restart: false })
  expect(crashes).toEqual([error])
})
