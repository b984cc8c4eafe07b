/** The flush of facts: in order, once, and bounded while Redis is away. */
import { expect, test } from '@jest/globals'
import { batchesMax, createFlushFacts } from '../../../usage/flush-facts.ts'
import { hourMs } from '../../../usage/fact-names.ts'
import { createNotedFacts } from '../../../usage/noted-facts.ts'
import type { FactBatch } from '../../../usage/write-facts.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { principal } from '../gateway/ingest/fakes.ts'

function scene() {
  const metrics = new RecordingMetrics()
  const noted = createNotedFacts({ metrics })
  const clock = { now: () => scene.now }
  const scene = { now: 100 * hourMs, failure: null as Error | null, written: [] as FactBatch[] }
  const tried: number[] = []
  const flush = createFlushFacts({
    ...{ noted, clock, metrics },
    write: async (batch) => {
      tried.push(batch.sequence)
      if (scene.failure !== null) throw scene.failure
      scene.written.push(batch)
    }
  })
  const accept = (count: number): void => void (noted.keyOf(principal).accepted += count)
  const written = () =>
    scene.written.map(({ hour, facts }) => [hour, facts.keys.get(principal.key_id)?.accepted])
  const counted = (name: string) => metrics.labelsOf(name).map((labels) => Object.values(labels)[0])
  return { scene, flush, accept, written, tried, counted }
}

test('what was noted is written, and nothing where nothing was', async () => {
  const { flush, accept, written, counted } = scene()
  await flush()
  accept(3)
  await flush()
  await flush()
  accept(4)
  await flush()
  expect(written()).toEqual([
    [100, 3],
    [100, 4]
  ])
  expect(counted('sluice_facts_flushes_total')).toEqual(['written', 'written'])
})

test('what failed is written again as it was, and then the rest', async () => {
  const { scene: away, flush, accept, written, tried, counted } = scene()
  away.failure = new Error('away')
  accept(1)
  await flush()
  accept(2)
  await flush()
  accept(4)
  away.failure = null
  await flush()
  await flush()
  expect(tried).toEqual([1, 1, 1, 2])
  expect(written()).toEqual([
    [100, 1],
    [100, 6]
  ])
  expect(counted('sluice_facts_flushes_total')).toEqual(['failed', 'failed', 'written', 'written'])
})

test('each hour is written as itself; of many the oldest are left out', async () => {
  const { scene: away, flush, accept, written, counted } = scene()
  const hours = batchesMax + 3
  away.failure = new Error('away')
  for (let hour = 0; hour < hours; hour++) {
    accept(1)
    away.now += hourMs
    await flush()
  }
  away.failure = null
  await flush()
  const all = Array.from({ length: hours }, (_, hour) => [100 + hour, 1])
  expect(written()).toEqual(all.slice(-batchesMax))
  expect(counted('sluice_facts_left_out_total')).toEqual(['batch', 'batch', 'batch'])
})

test('whoever asks while it runs waits for the running one', async () => {
  const metrics = new RecordingMetrics()
  const noted = createNotedFacts({ metrics })
  const gate = Promise.withResolvers<void>()
  const written: number[] = []
  const flush = createFlushFacts({
    ...{ noted, metrics, clock: { now: () => 0 } },
    write: async ({ sequence }) => {
      await gate.promise
      written.push(sequence)
    }
  })
  noted.keyOf(principal).accepted += 1
  const both = Promise.all([flush(), flush()])
  gate.resolve()
  await both
  expect(written).toEqual([1])
})
