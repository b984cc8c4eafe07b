/** Tests that streamed responses are complete or detectably truncated, respect backpressure, and
 * are always closed.
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import type { Reply, ReplyStream } from '../../../../http/call.ts'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served | undefined
afterEach(() => served?.close())

const headers = { 'content-type': 'text/plain' }
const get = 'GET / HTTP/1.1\r\nhost: x\r\n'
const mebibyte = 'x'.repeat(1024 * 1024)

class Stream implements ReplyStream {
  closed = 0
  given = 0
  isHungUp = false
  readonly trailers = { names: ['sum'], values: () => ({ sum: String(this.given) }) }
  readonly #make: (signal: AbortSignal) => AsyncIterable<string>

  constructor(make: (signal: AbortSignal) => AsyncIterable<string>) {
    this.#make = make
  }

  async *pieces(signal: AbortSignal) {
    for await (const piece of this.#make(signal)) {
      this.given += 1
      yield piece
    }
    this.isHungUp = signal.aborted
  }

  close(): void {
    this.closed += 1
  }
}

function streamReply(stream: ReplyStream): Reply {
  return { status: 200, headers, body: '', stream }
}

async function serveStream(stream: ReplyStream, responseTimeoutMs = 30_000): Promise<Served> {
  const short = aRoute('get', '/short', async () => jsonReply(200, '{}'))
  const route = aRoute('get', '/', async () => streamReply(stream))
  served = await serve([short, route], { responseTimeoutMs, requestsMax: 2 })
  return served
}

async function* words() {
  yield 'one '
  yield ''
  yield 'two'
}

test('writes the whole stream with its trailers and keeps the connection', async () => {
  const stream = new Stream(words)
  const { port, metrics } = await serveStream(stream)
  const next = 'GET /short HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
  const text = await converse(port, `${get}\r\n${next}`)
  expect(text).toContain('trailer: sum\r\n')
  expect(text).toContain('Transfer-Encoding: chunked\r\n')
  expect(text.toLowerCase()).toContain('4\r\none \r\n3\r\ntwo\r\n0\r\nsum: 3\r\n\r\n')
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(text).not.toContain('content-length: 0')
  expect(stream.closed).toBe(1)
  expect(metrics.labelsOf('sluice_http_requests_total')).toHaveLength(2)
})

test('is not in progress while it lasts, and is aborted on disconnect', async () => {
  const stream = new Stream(async function* (signal) {
    yield 'begun'
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const { port, httpLimits } = await serveStream(stream)
  const caller = connect(port, '127.0.0.1', () => caller.write(`${get}\r\n`))
  const heard: Buffer[] = []
  caller.on('data', (chunk) => heard.push(chunk))
  await waitUntil('it has started', () => Buffer.concat(heard).includes('begun'))
  expect(httpLimits.admission.inProgress()).toBe(0)
  expect(await (await fetch(`http://127.0.0.1:${port}/short`)).text()).toBe('{}')
  caller.destroy()
  await waitUntil('it is closed', () => stream.closed === 1)
  expect(stream.isHungUp).toBe(true)
})

test('closes the connection when the stream fails', async () => {
  const stream = new Stream(async function* () {
    yield 'half'
    throw new Error('the database is unavailable')
  })
  const { url, port, logger } = await serveStream(stream)
  const text = await converse(port, `${get}\r\n`)
  expect(text).toContain('half')
  expect(text).not.toMatch(/\r\n0\r\n/)
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
  await waitUntil('both are closed', () => stream.closed === 2)
  expect(logger.entries.filter(({ level }) => level === 'warn')).toHaveLength(2)
})

test('closes the connection of a caller that does not read, and stops the stream', async () => {
  const stream = new Stream(async function* () {
    for (;;) yield mebibyte
  })
  const { port, logger } = await serveStream(stream, 300)
  const deaf = connect(port, '127.0.0.1', () => deaf.write(`${get}\r\n`))
  deaf.on('error', () => {})
  deaf.pause()
  await waitUntil('the connection is closed', () => stream.closed === 1)
  // Only as many pieces were requested as the kernel can buffer.
  expect(stream.given).toBeLessThan(64)
  expect(logger.entries.filter(({ level }) => level !== 'info')).toEqual([])
  deaf.destroy()
})

test('a slow reader gets the whole stream', async () => {
  const pieces = 40
  const stream = new Stream(async function* () {
    for (let piece = 0; piece < pieces; piece++) yield mebibyte
  })
  // The timeout exceeds any pause of a reader, even on a busy machine.
  const { port } = await serveStream(stream, 20_000)
  const length = await new Promise<number>((resolve, reject) => {
    const asking = request({ port, path: '/' }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        response.pause()
        setImmediate(() => response.resume())
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    })
    asking.end()
  })
  expect(length).toBe(pieces * mebibyte.length)
})

test('HTTP/1.0 gets the stream without chunks, until the connection ends', async () => {
  const { port } = await serveStream(new Stream(words))
  const text = await converse(port, 'GET / HTTP/1.0\r\nhost: x\r\n\r\n')
  expect(text.split('\r\n\r\n')[1]).toBe('one two')
})

test('HEAD gets the headers, and no pieces are created', async () => {
  const stream = new Stream(words)
  const { url } = await serveStream(stream)
  const response = await fetch(url, { method: 'HEAD' })
  expect([response.status, await response.text(), stream.given]).toEqual([200, '', 0])
  await waitUntil('it is closed', () => stream.closed === 1)
})
