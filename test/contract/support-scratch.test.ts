/** Scratch. */
import { expect, test } from '@jest/globals'
import { createTopic, produce, readAll, expectNothingProduced, endOffsets } from '../support/kafka.ts'
import { startKafkaProxy, pauseService, resumeService } from '../support/services.ts'
import { createKafkaClient } from '../../platform/kafka-client.ts'
import { createKafkaProducer } from '../../platform/kafka-producer.ts'
import { createTestDatabase } from '../support/database.ts'
import { onEnd } from '../support/cleanup.ts'
import { countOpen } from '../support/cleanup.ts'

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
test('kafka helpers', async () => {
  const topic = await createTopic('scratch', { partitions: 3 })
  await produce(topic, [{ key: 'a', value: Buffer.from('1'), headers: { x: 'y' } }, { value: null }])
  const t0 = performance.now()
  console.log(await readAll(topic), performance.now() - t0)
  await expectNothingProduced(topic, async () => {})
  await expect(
    expectNothingProduced(topic, async () => { await produce(topic, [{ key: 'bad', value: null }]) })
  ).rejects.toThrow('1 records were produced')
})
test('database', async () => {
  const t0 = performance.now()
  const db = await createTestDatabase()
  console.log(await db.query(`select tablename from pg_tables where schemaname='public' limit 3`), performance.now() - t0)
})
for (const kind of ['kafkajs', 'platformatic'] as const) {
  test('proxy swallows ' + kind, async () => {
    const topic = await createTopic('swallow', { partitions: 1 })
    const proxy = await startKafkaProxy()
    const producer =
      kind === 'kafkajs'
        ? createKafkaClient({ brokers: [proxy.brokers], clientId: 't', logger }).producer()
        : createKafkaProducer({ brokers: [proxy.brokers], clientId: 't', topics: [topic], deadlineMs: 10000 })
    await producer.connect()
    onEnd(() => producer.close())
    let acked = 0
    for (let i = 0; i < 30; i++) {
      if (i % 10 === 5) proxy.swallowProduceResponses(1)
      await producer.send([{ topic, key: null, value: Buffer.from(String(i)), headers: {} }] as never)
      acked++
    }
    const all = await readAll(topic)
    const distinct = new Set(all.map((r) => String(r.value)))
    console.log(kind, { acked, inTopic: all.length, distinct: distinct.size, swallowed: proxy.swallowed(), reqs: proxy.produceRequests() })
    await producer.close()
    await proxy.close()
    expect(distinct.size).toBe(30)
    expect(proxy.swallowed()).toBe(3)
  })
}
test('pause', async () => {
  await pauseService('redis')
  await resumeService('redis')
  console.log(countOpen(), await endOffsets(await createTopic('x')))
})
