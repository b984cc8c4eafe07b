/** Tests that records are fetched ahead, and are used only if kafkajs requests them. */
import { expect, test } from '@jest/globals'
import { readAhead } from '../../../../platform/kafka/read-ahead.ts'
import type { Broker } from '../../../../platform/kafka/read-ahead.ts'

type Request = Parameters<Broker['fetch']>[0]
type Answer = Awaited<ReturnType<Broker['fetch']>>

/** Creates a broker with ten records per partition, which returns at most four per fetch. */
function createScene() {
  const asked: string[] = []
  let failure: Error | null = null

  class FakeBroker implements Broker {
    async fetch({ topics }: Request): Promise<Answer> {
      asked.push(textOf(topics[0]?.partitions ?? []))
      if (failure !== null) throw failure
      const responses = topics.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map(({ partition, fetchOffset }) => {
          const offsets = Array.from({ length: 4 }, (_, at) => Number(fetchOffset) + at)
          const messages = offsets.filter((offset) => offset < 10).map((offset) => ({ offset }))
          return { partition, lastStableOffset: '10', messages: messages.map(withText) }
        })
      }))
      return { responses }
    }
  }

  readAhead(FakeBroker)
  const broker: Broker = new FakeBroker()

  /** @returns the first offset of each returned partition */
  async function fetch(offsets: Record<number, number>): Promise<string> {
    const partitions = Object.entries(offsets).map(([partition, offset]) => ({
      ...{ partition: Number(partition), fetchOffset: String(offset) }
    }))
    const { responses } = await broker.fetch({ topics: [{ topic: 'topic', partitions }] })
    const answered = responses[0]?.partitions ?? []
    return textOf(
      answered.map(({ partition, messages }) => {
        return { partition, fetchOffset: messages[0]?.offset ?? 'none' }
      })
    )
  }

  return { asked, fetch, fail: (error: Error | null) => void (failure = error) }
}

function withText({ offset }: { offset: number }) {
  return { offset: String(offset) }
}

function textOf(partitions: Request['topics'][number]['partitions']): string {
  return partitions.map(({ partition, fetchOffset }) => `${partition}@${fetchOffset}`).join(' ')
}

test('fetches the next records before kafkajs requests them, and only once', async () => {
  const { asked, fetch } = createScene()
  expect(await fetch({ 0: 0 })).toBe('0@0')
  expect(asked).toEqual(['0@0', '0@4'])
  expect(await fetch({ 0: 4 })).toBe('0@4')
  expect(asked).toEqual(['0@0', '0@4', '0@8'])
})

test('sends no early request at the end of a partition', async () => {
  const { asked, fetch } = createScene()
  await fetch({ 0: 8 })
  expect(asked).toEqual(['0@8'])
})

test('includes a partition without more records in the early request', async () => {
  const { asked, fetch } = createScene()
  await fetch({ 0: 0, 1: 10 })
  expect(asked).toEqual(['0@0 1@10', '0@4 1@10'])
})

test('drops partitions whose offset differs and returns them with the next request', async () => {
  const { asked, fetch } = createScene()
  await fetch({ 0: 0, 1: 0 })
  expect(await fetch({ 0: 0, 1: 4 })).toBe('1@4')
  expect(asked).toEqual(['0@0 1@0', '0@4 1@4', '0@0 1@8'])
  expect(await fetch({ 0: 0, 1: 8 })).toBe('0@0 1@8')
})

test('sends the request if no part of the early response is usable', async () => {
  const { asked, fetch } = createScene()
  await fetch({ 0: 0 })
  expect(await fetch({ 0: 2 })).toBe('0@2')
  expect(await fetch({ 1: 0 })).toBe('1@0')
  expect(asked).toEqual(['0@0', '0@4', '0@2', '0@6', '1@0', '1@4'])
})

test('reports an error of an early request only if the same request follows', async () => {
  const { fetch, fail } = createScene()
  const first = fetch({ 0: 0 })
  fail(new Error('broker unavailable'))
  await first
  await expect(fetch({ 0: 4 })).rejects.toThrow('broker unavailable')
  fail(null)
  expect(await fetch({ 0: 4 })).toBe('0@4')
})
