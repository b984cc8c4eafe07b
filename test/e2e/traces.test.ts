/** Tests traces from the exporters of OpenTelemetry end to end: HTTP → Kafka → Postgres. */
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import fc from 'fast-check'
import type { Encoding } from '../../gateway/otlp/decode.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import type { Application } from '../support/application.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { startKafkaProxy } from '../support/services.ts'
import { aSpan, answerIn, contentTypes, encodings, exportOf, idOf } from '../support/otlp-export.ts'
import type { TestSpan } from '../support/otlp-export.ts'

/** Fixed seed, so that every run generates the same spans. */
const seed = 20_261_128
const produceDeadlineMs = 1000
const exporterTimeoutMs = 20_000

let sluice: Installation
let tenant: Tenant
let gateway: Application
let proxy: KafkaProxy

beforeAll(async () => {
  sluice = await createInstallation()
  proxy = await startKafkaProxy()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const settings = {
    KAFKA_BROKERS: proxy.brokers,
    PRODUCE_DEADLINE_MS: String(produceDeadlineMs)
  }
  ;[gateway] = await Promise.all([sluice.start('gateway', settings), sluice.start('storage')])
})

const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'small-1',
  'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Is 4.10 due?"}]}]',
  'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]',
  'gen_ai.usage.input_tokens': 12
}

async function post(encoding: Encoding, body: Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}/v1/traces`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'x-api-key': tenant.api_key, 'content-type': contentTypes[encoding], ...headers }
  })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Returns the stored decisions of an agent, after storage has read everything on the topic. */
async function storedOf(agent: string) {
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  return await sluice.database.query(
    `select decision_id, input::text as input, output::text as output, input_tokens
       from decisions where agent_id = $1`,
    [agent]
  )
}

/** Sends spans with an exporter of the SDK. */
async function exportSpans(Exporter: typeof JsonExporter, agent: string, count: number) {
  const exporter = new Exporter({
    url: `${gateway.url}/v1/traces`,
    headers: { authorization: `Bearer ${tenant.api_key}` },
    timeoutMillis: exporterTimeoutMs
  })
  const provider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: count })]
  })
  const tracer = provider.getTracer('test')
  for (let index = 0; index < count; index++) {
    tracer.startSpan('chat', { attributes: { ...chat, 'gen_ai.agent.name': agent } }).end()
  }
  await provider.shutdown()
}

test.each([
  ['protobuf', ProtobufExporter],
  ['JSON', JsonExporter]
])('1,000 spans of the exporter for %s are stored', async (name, exporter) => {
  await exportSpans(exporter, `exporter of ${name}`, 1000)
  const rows = await storedOf(`exporter of ${name}`)
  expect(rows).toHaveLength(1000)
  const [first] = rows
  expect(JSON.parse(String(first?.['output']))).toBe('Yes.')
  expect(Number(first?.['input_tokens'])).toBe(12)
  expect(String(first?.['input'])).toContain('Is 4.10 due?')
})

test.each(encodings)(
  'an export in %s that is sent three times is stored once',
  async (encoding) => {
    const agent = `three times ${encoding}`
    const spans = Array.from({ length: 100 }, (_, index) =>
      aSpan(
        { ...chat, 'gen_ai.agent.name': agent },
        { spanId: idOf(index + 1), traceId: traceOf(encoding) }
      )
    )
    const body = exportOf(encoding, spans)
    const answers = [
      await post(encoding, gzipSync(body), { 'content-encoding': 'gzip' }),
      await post(encoding, brotliCompressSync(body), { 'content-encoding': 'br' }),
      await post(encoding, zstdCompressSync(body), { 'content-encoding': 'zstd' })
    ]
    for (const { status, bytes } of answers) {
      expect([status, answerIn(encoding, bytes)]).toEqual([200, {}])
    }
    expect(await storedOf(agent)).toHaveLength(100)
  }
)

function traceOf(encoding: Encoding): string {
  return (encoding === 'json' ? '1' : '2').repeat(32)
}

test('an exporter sends again what was not acknowledged, and it is stored once', async () => {
  proxy.swallowProduceResponses(3)
  await exportSpans(ProtobufExporter, 'response lost', 200)
  expect(proxy.swallowed()).toBeGreaterThan(0)
  expect(await storedOf('response lost')).toHaveLength(200)
})

test('without a broker a request gets 503, and is stored after it returns', async () => {
  await proxy.refuse()
  const sending = exportSpans(ProtobufExporter, 'broker away', 50)
  const spans = [aSpan({ ...chat, 'gen_ai.agent.name': 'refused' })]
  const { status } = await post('protobuf', exportOf('protobuf', spans))
  expect(status).toBe(503)
  await proxy.heal()
  await sending
  expect(await storedOf('broker away')).toHaveLength(50)
})

test(`stores every accepted span of 400 exports (seed ${seed})`, async () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.boolean())
  const names = fc.constantFrom(
    ...Object.keys(chat),
    ...['gen_ai.agent.name', 'session.id', 'input.value', 'llm.output_messages.0.x', 'error.type']
  )
  const members = fc.dictionary(names, value, { maxKeys: 9, noNullPrototype: true })
  const exports = fc.sample(fc.array(members, { minLength: 1, maxLength: 4 }), {
    seed,
    numRuns: 400
  })
  const before = await countStored()
  let [sent, left] = [0, 0]
  for (const [at, spans] of exports.entries()) {
    const encoding = encodings[at % encodings.length] as Encoding
    const all = spans.map((each, index): TestSpan =>
      aSpan({ 'gen_ai.operation.name': 'chat', ...each }, { spanId: idOf(at * 10 + index + 1) })
    )
    const { status, bytes } = await post(encoding, exportOf(encoding, all))
    expect(status).toBe(200)
    sent += spans.length
    left += Number(answerIn(encoding, bytes).partialSuccess?.rejectedSpans ?? 0)
  }
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  const ignored = await ignoredSpans()
  expect((await countStored()) - before).toBe(sent - left - ignored)
  const dead = [...(await endOffsets(sluice.topics.decisionsDeadLetter)).values()]
  expect(dead.every((end) => end === 0n)).toBe(true)
})

async function countStored(): Promise<number> {
  const [row] = await sluice.database.query('select count(*)::integer as n from decisions')
  return Number(row?.['n'])
}

async function ignoredSpans(): Promise<number> {
  const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text()
  const found = /^sluice_otlp_spans_total\{outcome="ignored"\} (\d+)$/m.exec(text)
  return Number(found?.[1] ?? 0)
}
