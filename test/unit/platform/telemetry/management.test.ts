/** Tests the management port: liveness, readiness and metrics. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { close, listen, startManagement } from '../../../../platform/telemetry/management.ts'
import type { Management } from '../../../../platform/telemetry/management.ts'
import { metricTable } from '../../../../platform/telemetry/metric-table.ts'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'
import { RecordingLogger } from '../recording-logger.ts'

const host = '127.0.0.1'
const setting = 'GATEWAY_PORT'
const running: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()))
})

async function start(missing: readonly string[] = []) {
  const metrics = createMetrics()
  const logger = new RecordingLogger()
  const management: Management = await startManagement({
    host,
    port: 0,
    metrics,
    notReady: () => missing,
    logger
  })
  running.push(management)
  const get = (path: string) => fetch(`http://${host}:${management.port}${path}`)
  return { management, metrics, logger, get }
}

async function listening(server: Server): Promise<number> {
  await listen(server, { host, port: 0, setting })
  running.push({ close: () => close(server) })
  return (server.address() as AddressInfo).port
}

describe('startManagement', () => {
  test('is alive, whatever is missing', async () => {
    const { get } = await start(['broker'])
    const response = await get('/livez')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ status: 'alive' })
  })

  test('is ready if nothing is missing', async () => {
    const { get } = await start()
    const response = await get('/readyz')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ready', missing: [] })
  })

  test('is not ready while something is missing, and names it at each request', async () => {
    const missing = ['broker', 'schema']
    const { get } = await start(missing)
    const response = await get('/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ status: 'not ready', missing: ['broker', 'schema'] })
    missing.length = 0
    expect((await get('/readyz')).status).toBe(200)
  })

  test('exposes the metrics', async () => {
    const { get, metrics } = await start()
    metrics.count('sluice_ingest_unknown_members_total', {}, 3)
    const response = await get('/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await response.text()).toContain('\nsluice_ingest_unknown_members_total 3\n')
  })

  test('exposes every metric of the table from the start, and nothing else', async () => {
    const { get } = await start()
    const text = await (await get('/metrics')).text()
    const exposed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(exposed.toSorted()).toEqual(Object.keys(metricTable).toSorted())
    const series = [...text.matchAll(/^([a-z]\w*)/gm)].map(([, name = '']) => name)
    const known = exposed.map((name) => new RegExp(`^${name}(_bucket|_sum|_count)?$`))
    expect(series.filter((name) => !known.some((each) => each.test(name)))).toEqual([])
  })

  test('responds 500 if the metrics fail, and logs why', async () => {
    const { get, metrics, logger } = await start()
    const error = new Error('not available')
    metrics.onCollect(() => {
      throw error
    })
    const response = await get('/metrics')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ status: 'failed' })
    const message = 'management request failed'
    expect(logger.entries).toEqual([
      { level: 'error', fields: { error, url: '/metrics' }, message }
    ])
    expect((await get('/livez')).status).toBe(200)
  })

  test.each(['/', '/healthz', '/livez/', '/../livez2'])('has no page %s', async (path) => {
    const { get } = await start()
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ status: 'not found' })
  })

  test('frees its port when it is closed, with idle connections or without', async () => {
    const { management, get } = await start()
    await (await get('/livez')).text()
    await management.close()
    await expect(get('/livez')).rejects.toThrow()
    const server = createServer()
    await listen(server, { host, port: management.port, setting })
    await close(server)
  })
})

describe('listen', () => {
  test('rejects with the port and its setting if the port is in use', async () => {
    const port = await listening(createServer())
    await expect(listen(createServer(), { host, port, setting })).rejects.toThrow(
      `port ${port} is in use; set GATEWAY_PORT to another port`
    )
  })

  test('leaves no error listener', async () => {
    const server = createServer()
    await listening(server)
    expect(server.listenerCount('error')).toBe(0)
  })
})

test('close waits for the response in progress', async () => {
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>()
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    tellAsked()
    void mayAnswer.then(() => response.end('late'))
  })
  await listen(server, { host, port: 0, setting })
  const { port } = server.address() as AddressInfo
  const answer = fetch(`http://${host}:${port}/`).then((response) => response.text())
  await asked
  const closed = close(server)
  letAnswer()
  expect(await answer).toBe('late')
  await closed
})
