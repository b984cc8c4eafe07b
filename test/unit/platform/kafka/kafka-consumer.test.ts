/** Tests the kafkajs consumer: batches, epochs and crashes. */
import { describe, expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import type { Consumer, ConsumerCrashEvent, EachBatchPayload } from 'kafkajs'
import { FencedError } from '../../../../core/message-outcome.ts'
import { createKafkaConsumer } from '../../../../platform/kafka/kafka-consumer.ts'
import type { MessageBatch } from '../../../../platform/kafka/message-consumer.ts'

type EachBatch = (payload: EachBatchPayload) => Promise<void>

/** Implements the part of the kafkajs consumer that Sluice uses. */
class FakeConsumer {
  readonly listeners = new Map<string, (event: unknown) => void>()
  readonly committed: string[] = []
  readonly resolved: string[] = []
  eachBatch: EachBatch = () => Promise.resolve()

  on = (name: string, listener: (event: unknown) => void) => this.listeners.set(name, listener)
  connect = () => Promise.resolve()
  subscribe = () => Promise.resolve()
  run = async ({ eachBatch }: { eachBatch: EachBatch }) => void (this.eachBatch = eachBatch)
  commitOffsets = async (offsets: { offset: string }[]) =>
    void this.committed.push(...offsets.map(({ offset }) => offset))

  /** Delivers a fetch of `count` messages from offset 10, followed by a control record. */
  fetch(count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, at) => ({
      ...{ offset: String(10 + at), timestamp: '0', key: null, value: null, headers: {} }
    }))
    const batch = {
      ...{ topic: 'topic', partition: 1, messages },
      lastOffset: () => String(10 + count)
    }
    return this.eachBatch({
      batch,
      resolveOffset: (offset: string) => void this.resolved.push(offset)
    } as unknown as EachBatchPayload)
  }
}

function createScene(epochs: (number | Error)[] = []) {
  const fake = new FakeConsumer()
  const crashes: Error[] = []
  const consumer = createKafkaConsumer({
    consumer: fake as unknown as Consumer,
    ...{ partitionsMax: 1, batchMessagesMax: 4 },
    takeEpoch: async () => {
      const epoch = epochs.shift()
      if (typeof epoch !== 'number') throw epoch ?? new Error('no more epochs')
      return epoch
    },
    onCrash: (error) => crashes.push(error)
  })
  const die = (payload: Omit<ConsumerCrashEvent['payload'], 'groupId'>) =>
    fake.listeners.get('consumer.crash')?.({ payload })
  return {
    consumer,
    fake,
    crashes,
    die,
    join: (memberAssignment: Record<string, number[]> = {}) =>
      fake.listeners.get('consumer.group_join')?.({ payload: { memberAssignment } })
  }
}

describe('a crash', () => {
  test('that kafkajs recovers from only makes the consumer leave its group', () => {
    const { consumer, crashes, die, join } = createScene()
    join()
    die({ error: new Error('the coordinator is loading'), restart: true })
    expect(crashes).toEqual([])
    expect(consumer.isJoined()).toBe(false)
    join()
    expect(consumer.isJoined()).toBe(true)
  })

  test('that is final is reported', () => {
    const { crashes, die } = createScene()
    const error = new Error('not allowed')
    die({ error, restart: false })
    expect(crashes).toEqual([error])
  })
})

test('knows its last assigned partitions', () => {
  const { consumer, join } = createScene()
  expect(consumer.isAssigned('decisions', 1)).toBe(false)
  join({ decisions: [0, 1] })
  expect(consumer.isAssigned('decisions', 1)).toBe(true)
  expect(consumer.assigned('decisions')).toEqual([0, 1])
  join({ decisions: [0] })
  expect(consumer.isAssigned('decisions', 1)).toBe(false)
  expect(consumer.assigned('evaluations')).toEqual([])
  expect(consumer.isAssigned('evaluations', 0)).toBe(false)
})

test.each([
  [
    'a bug in Sluice is reported, because the client would restart forever',
    new TypeError('bug'),
    1
  ],
  ['an error of the client is left to the client', new kafkajs.KafkaJSError('rebalancing'), 0],
  ['a fence makes the client rejoin', new FencedError('a later member'), 0]
])('%s', async (_what, error, told) => {
  const { consumer, fake, crashes } = createScene()
  await consumer.run(['topic'], () => Promise.reject(error))
  await expect(fake.fetch(1)).rejects.toThrow(error.message)
  expect(crashes).toEqual(Array<Error>(told).fill(error))
})

describe('batches', () => {
  test('are bounded and commit their own ends; the last commits the end of the fetch', async () => {
    const { consumer, fake } = createScene()
    const sizes: number[] = []
    await consumer.run(['topic'], async (batch) => {
      sizes.push(batch.messages.length)
      await batch.commit()
    })
    await fake.fetch(10)
    expect(sizes).toEqual([4, 4, 2])
    expect(fake.committed).toEqual(['14', '18', '21'])
    expect(fake.resolved).toEqual(['13', '17', '20'])
  })

  test('stop after one that is not committed', async () => {
    const { consumer, fake } = createScene()
    const firsts: bigint[] = []
    await consumer.run(['topic'], async (batch) => {
      firsts.push(batch.messages[0]?.offset ?? -1n)
      if (firsts.length === 1) await batch.commit()
    })
    await fake.fetch(10)
    expect(firsts).toEqual([10n, 14n])
    expect(fake.committed).toEqual(['14'])
  })

  test('stop after a fenced one, and kafkajs rejoins', async () => {
    const { consumer, fake } = createScene()
    let delivered = 0
    await consumer.run(['topic'], () => {
      delivered += 1
      return Promise.reject(new FencedError('a later member'))
    })
    const failed = fake.fetch(10)
    await expect(failed).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' })
    await expect(failed).rejects.toThrow('a later member')
    expect(delivered).toBe(1)
  })
})

describe('epochs', () => {
  async function epochsSeen(scene: ReturnType<typeof createScene>) {
    const batches: MessageBatch[] = []
    await scene.consumer.run(['topic'], async (batch) => {
      batches.push(batch)
      await batch.commit()
    })
    return batches
  }

  test('are taken once per join, and a batch keeps the epoch of its delivery', async () => {
    const scene = createScene([5, 9])
    const batches = await epochsSeen(scene)
    scene.join()
    await scene.fake.fetch(8)
    scene.join()
    await scene.fake.fetch(1)
    const epochs = await Promise.all(batches.map((batch) => batch.epoch()))
    expect(epochs).toEqual([5, 5, 9])
  })

  test('are taken again after a failure', async () => {
    const scene = createScene([new Error('away'), new Error('still unavailable'), 5])
    const batches = await epochsSeen(scene)
    scene.join()
    await scene.fake.fetch(1)
    await expect(batches[0]?.epoch()).rejects.toThrow('still unavailable')
    expect(await batches[0]?.epoch()).toBe(5)
    expect(await batches[0]?.epoch()).toBe(5)
  })
})
