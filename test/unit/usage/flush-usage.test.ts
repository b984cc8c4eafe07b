/** Tests that usage counters are flushed in order, each only once, and are bounded while Redis is
 * unavailable.
 */
import { expect, test } from '@jest/globals'
import { batchesMax, createFlushUsage } from '../../../usage/flush-usage.ts'
import { hourMs } from '../../../usage/usage-keys.ts'
import { createUsageCounters } from '../../../usage/usage-counters.ts'
import type { UsageBatch } from '../../../usage/write-usage.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { principal } from '../gateway/ingest/fakes.ts'

function scene() {
  const metrics = new RecordingMetrics()
  const counters = createUsageCounters({ metrics })
  const clock = { now: () => scene.now }
  const scene = { now: 100 * hourMs, failure: null as Error | null, written: [] as UsageBatch[] }
  const tried: number[] = []
  const flush = createFlushUsage({
    ...{ counters, clock, metrics },
    write: async (batch) => {
      tried.push(batch.sequence)
      if (scene.failure !== null) throw scene.failure
      scene.written.push(batch)
    }
  })
  const accept = (count: number): void => void (counters.keyOf(principal).accepted += count)
  const written = () =>
    scene.written.map(({ hour, usage }) => [hour, usage.keys.get(principal.key_id)?.accepted])
  const counted = (name: string) => metrics.labelsOf(name).map((labels) => Object.values(labels)[0])
  return { scene, flush, accept, written, tried, counted }
}

test('writes the counters, and nothing if there are none', async () => {
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
  expect(counted('sluice_usage_flushes_total')).toEqual(['written', 'written'])
})

test('writes a failed batch again unchanged, and then the rest', async () => {
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
  expect(counted('sluice_usage_flushes_total')).toEqual(['failed', 'failed', 'written', 'written'])
})

test('writes one batch per hour and drops the oldest beyond the limit', async () => {
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
  expect(counted('sluice_usage_dropped_total')).toEqual(['batch', 'batch', 'batch'])
})

test('concurrent calls share one flush', async () => {
  const metrics = new RecordingMetrics()
  const counters = createUsageCounters({ metrics })
  const gate = Promise.withResolvers<void>()
  const written: number[] = []
  const flush = createFlushUsage({
    ...{ counters, metrics, clock: { now: () => 0 } },
    write: async ({ sequence }) => {
      await gate.promise
      written.push(sequence)
    }
  })
  counters.keyOf(principal).accepted += 1
  const both = Promise.all([flush(), flush()])
  gate.resolve()
  await both
  expect(written).toEqual([1])
})
