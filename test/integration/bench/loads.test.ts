/** Tests the loads that benchmarks write directly to the broker, because no test runs a whole
 * benchmark.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { FillOrder, FillReport } from '../../../bench/fill-topic.ts'
import { startLoad } from '../../../bench/load/load-process.ts'
import type { LoadOrder, LoadReport } from '../../../bench/load/load.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import { createTopic, readAll } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

const { signal } = new AbortController()

test('fills a topic with the given number of decisions for storage', async () => {
  const { environment, topics } = await createInstallation()
  const fill = startLoad<FillOrder, FillReport>('fill-topic.ts', { environment, signal })
  onEnd(() => fill.stop())
  // One more decision than `fill-topic.ts` sends at a time.
  const order = { topic: topics.decisions, decisions: 501, organizationId: randomUUID() }
  const { bytes } = await fill.run(order)
  const records = await readAll(topics.decisions)
  expect(records).toHaveLength(501)
  expect(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)).toBe(bytes)
})

test('writes to the broker without a gateway, and counts each record once', async () => {
  const topic = await createTopic('bench', { partitions: 3 })
  const environment = { ...process.env, KAFKA_BROKERS: services().addresses.kafkaBrokers }
  const settings = { environment, signal, args: [topic, '5'] }
  const load = startLoad<LoadOrder, LoadReport>('load/produce-load.ts', settings)
  onEnd(() => load.stop())
  const pace = { connections: 1, seconds: 1, rate: 50 }
  const { statuses } = await load.run({ url: '', headers: {}, shape: 'decision', ...pace })
  expect(statuses[202]).toBeGreaterThan(0)
  expect(await readAll(topic)).toHaveLength(statuses[202] ?? 0)
})
