/** Load process of the `broker` row: writes decisions to Kafka in batches, as the gateway would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createKafkaProducer } from '../../platform/kafka/producer/kafka-producer.ts'
import type { OutgoingRecord } from '../../platform/kafka/record-producer.ts'
import { makeDecisions } from './decisions.ts'
import type { LoadOrder, LoadReport } from './load.ts'
import { serveOrders } from './serve-orders.ts'
import { createTally } from './tally.ts'
import type { Tally } from './tally.ts'

const [topic = '', linger = ''] = process.argv.slice(2)
const lingerMs = Number(linger)
/** Decisions per second for jobs with rate 0. */
const defaultRate = 1000
const written = 202

const producer = createKafkaProducer({
  brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'sluice-bench',
  topic,
  deadlineMs: 10_000
})
const records: OutgoingRecord[] = makeDecisions().map((decision) => ({
  topic,
  key: Buffer.from(String(decision['agent_id'])),
  value: Buffer.from(JSON.stringify(decision)),
  headers: {}
}))
const connected = producer.connect()

/** Every `lingerMs`, sends the decisions that are due, without waiting for the previous batch. */
async function write(order: Pick<LoadOrder, 'seconds' | 'rate'>): Promise<LoadReport> {
  await connected
  const rate = order.rate === 0 ? defaultRate : order.rate
  const tally = createTally()
  const packs: Promise<void>[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  let sent = 0
  while (performance.now() < endsAt) {
    await sleep(lingerMs)
    const due = Math.floor(((performance.now() - startedAt) / 1000) * rate)
    if (due > sent) packs.push(send(sent, due, tally))
    sent = Math.max(sent, due)
  }
  await Promise.all(packs)
  return { seconds: (performance.now() - startedAt) / 1000, ...tally.answers() }
}

async function send(from: number, to: number, tally: Tally): Promise<void> {
  const pack = Array.from({ length: to - from }, (_, at) => recordOf(from + at))
  const sentAt = performance.now()
  const isWritten = await producer.send(pack).then(
    () => true,
    () => false
  )
  const ms = performance.now() - sentAt
  for (let count = pack.length; count > 0; count--) {
    if (isWritten) tally.answered(written, ms)
    else tally.broken()
  }
}

function recordOf(at: number): OutgoingRecord {
  return records[at % records.length] as OutgoingRecord
}

serveOrders(write)
