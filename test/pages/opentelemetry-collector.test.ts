/** Sends spans through an OpenTelemetry Collector with the configuration of the guide.
 *
 * Without Go, which builds the Collector, this is not tested.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { buildCollector } from '../../bench/collector/build-collector.ts'
import { freePort } from '../../stack/ports.ts'
import { blocksIn, read } from '../docs/pages.ts'
import type { Application } from '../support/application.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { aSpan, contentTypes, exportOf, idOf } from '../support/otlp-export.ts'
import { startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

const write = (line: string): void => void process.stderr.write(`${line}\n`)
const built = await buildCollector({
  say: write,
  signal: new AbortController().signal,
  environment: process.env
})
if ('notRun' in built) write(built.notRun)
const describeWithCollector = 'notRun' in built ? describe.skip : describe
const produceDeadlineMs = 3000

describeWithCollector('a Collector with the configuration of the guide', () => {
  let sluice: Installation
  let gateway: Application
  let proxy: KafkaProxy
  let url: string

  beforeAll(async () => {
    sluice = await createInstallation()
    proxy = await startKafkaProxy()
    const { api_key } = await sluice.createTenant({ rateLimit: 1_000_000 })
    const settings = {
      KAFKA_BROKERS: proxy.brokers,
      PRODUCE_DEADLINE_MS: String(produceDeadlineMs)
    }
    ;[gateway] = await Promise.all([sluice.start('gateway', settings), sluice.start('storage')])
    url = await startCollector('file' in built ? built.file : '', gateway.url, api_key)
  })

  test('sends 10,000 spans in a few compressed requests, and each is stored once', async () => {
    const sizes = [8192, ...Array.from({ length: 4 }, () => 452)]
    for (const [index, size] of sizes.entries()) {
      await post(url, { agent: 'many', start: 1 + index * 10_000, count: size, text: 'Is it due?' })
    }
    await waitUntil('10,000 decisions', async () => (await countOf(sluice, 'many')) >= 10_000)
    expect(await countOf(sluice, 'many')).toBe(10_000)
    expect(await requestsWith(gateway, '200')).toBeLessThan(sizes.length + 1)
    const [received = 0, decompressed = 0] = await Promise.all(
      ['received', 'decompressed'].map(async (stage) => {
        return await metricOf(gateway, `sluice_ingest_body_bytes_total{stage="${stage}"}`)
      })
    )
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(decompressed / 4)
  })

  test('splits a request of 18 MB, and each of its spans is stored once', async () => {
    const before = await requestsWith(gateway, '200')
    await post(url, { agent: 'large', start: 100_001, count: 180, text: 'x'.repeat(100_000) })
    await waitUntil('180 decisions', async () => (await countOf(sluice, 'large')) >= 180)
    expect(await countOf(sluice, 'large')).toBe(180)
    expect(await requestsWith(gateway, '200')).toBe(before + 2)
  })

  test('keeps spans while Kafka is unavailable, and each is stored once', async () => {
    await proxy.refuse()
    for (const start of [200_001, 210_001]) {
      await post(url, { agent: 'kept', start, count: 1000, text: 'Is it due?' })
    }
    await waitUntil('a 503', async () => (await requestsWith(gateway, '503')) > 0)
    await proxy.heal()
    await waitUntil('2,000 decisions', async () => (await countOf(sluice, 'kept')) >= 2000)
    expect(await countOf(sluice, 'kept')).toBe(2000)
  })
})

/** Starts the Collector, and resolves with the URL to which programs send spans. */
async function startCollector(file: string, sluiceUrl: string, apiKey: string): Promise<string> {
  const [configuration = ''] = blocksIn(read('docs/guides/opentelemetry.md'), 'yaml')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-collector-'))
  onEnd(async () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'collector.yaml'), configuration)
  const address = `127.0.0.1:${await freePort()}`
  // Only the ports differ from the guide.
  const settings = {
    'receivers.otlp.protocols.http.endpoint': address,
    'exporters.otlphttp.endpoint': sluiceUrl,
    'service.telemetry.metrics.level': 'none'
  }
  const sets = Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`)
  const child = spawn(file, ['--config', 'collector.yaml', ...sets], {
    cwd: folder,
    env: { API_KEY: apiKey },
    stdio: 'ignore'
  })
  const exited = new Promise((resolve) => child.once('close', resolve))
  onEnd(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://${address}/v1/traces`
  const empty = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  await waitUntil('the Collector', async () => (await fetch(url, empty)).ok)
  return url
}

interface Sending {
  readonly agent: string
  /** Number of the first span. */
  readonly start: number
  readonly count: number
  readonly text: string
}

/** Sends calls to a model to the Collector in one compressed request. */
async function post(url: string, { agent, start, count, text }: Sending): Promise<void> {
  const members = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.agent.name': agent,
    'gen_ai.input.messages': text,
    'gen_ai.output.messages': 'Yes.'
  }
  const spans = Array.from({ length: count }, (_, index) =>
    aSpan(members, { spanId: idOf(start + index) })
  )
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentTypes.protobuf, 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(exportOf('protobuf', spans)))
  })
  expect(status).toBe(200)
}

async function countOf(sluice: Installation, agent: string): Promise<number> {
  const [row] = await sluice.database.query(
    'select count(*)::integer as n from decisions where agent_id = $1',
    [agent]
  )
  return Number(row?.['n'])
}

/** Returns the number of requests for traces that got this status. */
async function requestsWith(gateway: Application, status: string): Promise<number> {
  return await metricOf(
    gateway,
    `sluice_http_requests_total{operation="exportTraces",status="${status}"}`
  )
}

async function metricOf(gateway: Application, name: string): Promise<number> {
  const lines = (await gateway.metrics()).split('\n')
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0)
}
