/** Tests bodies over real sockets: reading, decompression, limits and errors. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { brotliCompressSync, constants, createZstdCompress, deflateSync } from 'node:zlib'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { Problem } from '../../../../core/problem.ts'
import { bodyBytesMax } from '../../../../http/body/body-budget.ts'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

const refusals: unknown[] = []
/**
 * All requests share one connection, so the next response proves that the previous body was read
 * completely.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let served: Served

beforeAll(async () => {
  const route = aRoute('post', '/', async (call) => {
    try {
      return await call.useBody({}, async (body) =>
        jsonReply(200, JSON.stringify({ bytes: body.length, start: body.toString('utf8', 0, 40) }))
      )
    } catch (error) {
      refusals.push(error)
      throw error
    }
  })
  served = await serve([{ ...route, surface: 'ingest' }])
})
afterAll(async () => {
  agent.destroy()
  await served.close()
})

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** Posts `content`: a stream with chunked encoding, a buffer with Content-Length. */
function post(content: Buffer | Readable, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(served.url, { method: 'POST', headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
      })
    })
    sent.on('error', reject)
    if (content instanceof Readable) content.pipe(sent)
    else sent.end(content)
  })
}

const text = Buffer.from('{"output":"é👍"}')

describe('reads a body completely', () => {
  test.each([
    ['with a length', text],
    ['in chunks', Readable.from([text.subarray(0, 5), text.subarray(5)])],
    ['empty', Buffer.alloc(0)]
  ])('%s', async (_what, content) => {
    const bytes = content === text || content instanceof Readable ? text.length : 0
    expect((await post(content)).body).toMatchObject({ bytes })
  })

  test.each([
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity', text],
    ['', text]
  ])('decompresses %j', async (encoding, content) => {
    const { body } = await post(content, { 'content-encoding': encoding })
    expect(body).toEqual({ bytes: text.length, start: text.toString() })
  })

  test('accepts exactly the limit', async () => {
    expect((await post(Buffer.alloc(bodyBytesMax, 'x'))).body).toMatchObject({
      bytes: bodyBytesMax
    })
    const packed = gzipSync(Buffer.alloc(bodyBytesMax))
    const { body } = await post(packed, { 'content-encoding': 'gzip' })
    expect(body).toMatchObject({ bytes: bodyBytesMax })
  })
})

describe('the client can read the 413', () => {
  test.each([
    ['one byte over, with a length', () => Buffer.alloc(bodyBytesMax + 1, 'x')],
    ['20 MiB with a length', () => Buffer.alloc(2 * bodyBytesMax, 'x')]
  ])('%s', async (_what, contentOf) => {
    const { status, headers, body } = await post(contentOf())
    expect(status).toBe(413)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(body).toMatchObject({ code: 'payload_too_large', limit_bytes: bodyBytesMax })
  })

  test('rejects 20 MiB in chunks and serves the next request on the connection', async () => {
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(1024 * 1024)}\r\n`)
    const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
    const bytes = Buffer.concat([
      Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`),
      ...Array<Buffer>(20).fill(chunk),
      Buffer.from(`0\r\n\r\n${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`)
    ])
    const answers = await converse(served.port, bytes)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test('closes the connection when too much would have to be drained', async () => {
    const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999999\r\n\r\n'
    const sent = await new Promise<number>((resolve) => {
      const socket = connect(served.port, '127.0.0.1')
      const chunk = Buffer.alloc(1024 * 1024)
      let bytes = 0
      const pump = (): void => {
        bytes += chunk.length
        if (socket.writable) socket.write(chunk, pump)
      }
      socket.on('error', () => {})
      socket.on('close', () => resolve(bytes))
      socket.on('data', () => {})
      socket.write(head, pump)
    })
    expect(sent).toBeLessThan(200 * 1024 * 1024)
  })
})

describe('rejects a decompression bomb before it is expanded', () => {
  const tenMebibytes = Buffer.alloc(10 * 1024 * 1024)
  const hundredTimes = (part: Buffer): Buffer => Buffer.concat(Array<Buffer>(100).fill(part))

  test.each([
    ['gzip', hundredTimes(gzipSync(tenMebibytes))],
    ['br', brotliCompressSync(Buffer.alloc(100 * 1024 * 1024))],
    ['zstd', hundredTimes(zstdCompressSync(tenMebibytes))]
  ])('%s', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024)
    const before = process.memoryUsage().arrayBuffers
    const { status } = await post(bomb, { 'content-encoding': encoding })
    expect(status).toBe(413)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('a Content-Encoding', () => {
  test.each(['deflate', 'x-gzip', 'gzip, gzip', 'compress', '__proto__', 'constructor'])(
    'that is not supported is 415 and names the supported ones: %s',
    async (encoding) => {
      const { status, headers, body } = await post(text, { 'content-encoding': encoding })
      expect([status, body['code']]).toEqual([415, 'unsupported_media_type'])
      expect(headers['accept-encoding']).toBe('gzip, br, zstd')
    }
  )

  test.each([
    ['gzip', 'plain text', text],
    ['gzip', 'zlib', deflateSync(text)],
    ['gzip', 'truncated', gzipSync(text).subarray(0, -4)],
    ['br', 'plain text', text],
    ['br', 'truncated', brotliCompressSync(text).subarray(0, -4)],
    ['zstd', 'plain text', text],
    ['zstd', 'truncated', zstdCompressSync(text).subarray(0, -4)]
  ])('%s that is %s is 400', async (encoding, _what, content) => {
    const { status, body } = await post(content, { 'content-encoding': encoding })
    expect([status, body['code']]).toEqual([400, 'malformed_encoding'])
    expect(body['detail']).toBe(`The body is not valid ${encoding}.`)
  })
})

describe('compressed data with extra bytes', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync]
  ] as const)('%s with extra bytes is 400', async (encoding, compress) => {
    const packed = compress(text)
    for (const junk of ['junk', '\0\0\0\0', '{}']) {
      const whole = Buffer.concat([packed, Buffer.from(junk)])
      const together = await post(whole, { 'content-encoding': encoding })
      const apart = await post(Readable.from([packed, Buffer.from(junk)]), {
        'content-encoding': encoding
      })
      expect([together.status, apart.status]).toEqual([400, 400])
      expect(apart.body['code']).toBe('malformed_encoding')
    }
  })

  const halves = [text.subarray(0, 5), text.subarray(5)]

  test('several gzip members are one body, as the format defines', async () => {
    const parts = halves.map((half) => gzipSync(half))
    for (const content of [Buffer.concat(parts), Readable.from(parts)]) {
      const { body } = await post(content, { 'content-encoding': 'gzip' })
      expect(body).toEqual({ bytes: text.length, start: text.toString() })
    }
  })

  test('rejects two zstd frames instead of dropping the second', async () => {
    const packed = Buffer.concat(halves.map((half) => zstdCompressSync(half)))
    const { status, body } = await post(packed, { 'content-encoding': 'zstd' })
    expect([status, body['code']]).toEqual([400, 'malformed_encoding'])
  })
})

test('rejects zstd with a window above 8 MiB with 400', async () => {
  const params = {
    [constants.ZSTD_c_windowLog]: 24,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1
  }
  const packer = createZstdCompress({ params })
  packer.end(Buffer.alloc(100))
  const { status, body } = await post(Buffer.concat(await packer.toArray()), {
    'content-encoding': 'zstd'
  })
  expect([status, body['code']]).toEqual([400, 'malformed_encoding'])
})

describe('a caller that sends Expect', () => {
  const head = 'POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\n'

  test('gets 100 Continue when its body is read, and then the response', async () => {
    const chunks: string[] = []
    const socket = connect(served.port, '127.0.0.1')
    socket.on('data', (chunk) => chunks.push(chunk.toString('latin1')))
    socket.write(`${head}content-length: 2\r\n\r\n`)
    await waitUntil('100 Continue arrives', () => chunks.length > 0)
    expect(chunks.join('')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('{}')
    await waitUntil('the response arrives', () => chunks.join('').includes('HTTP/1.1 200'))
    socket.destroy()
  })

  test.each([
    ['too large', 'content-length: 99999999\r\n\r\n', 413],
    ['in an unknown encoding', 'content-encoding: x\r\ncontent-length: 2\r\n\r\n', 415]
  ])('gets no 100 Continue when its body is %s', async (_what, rest, status) => {
    const answer = await converse(served.port, head + rest)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
  })

  test('gets no 100 Continue from a route that reads no body', async () => {
    const answer = await converse(
      served.port,
      `${head.replace('/', '/nowhere')}content-length: 2\r\n\r\n`
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404'])
  })
})

test('counts the received and the decompressed bytes', async () => {
  served.metrics.counts.length = 0
  const packed = gzipSync(Buffer.alloc(5000))
  await post(packed, { 'content-encoding': 'gzip' })
  const bytes = served.metrics.counts.filter(
    ({ name }) => name === 'sluice_ingest_body_bytes_total'
  )
  expect(bytes.map(({ labels, value }) => [labels['stage'], value])).toEqual([
    ['received', packed.length],
    ['decompressed', 5000]
  ])
})

describe('a caller that disconnects', () => {
  test.each([
    ['with a length', 'content-length: 1000\r\n\r\n{"input":'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n5\r\n{"inp\r\n'],
    [
      'while the body is compressed',
      'content-encoding: gzip\r\ncontent-length: 1000\r\n\r\n\x1f\x8b'
    ]
  ])('ends the read: %s', async (_what, rest) => {
    refusals.length = 0
    const socket = connect(served.port, '127.0.0.1')
    socket.write(Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\n${rest}`, 'latin1'), () => socket.end())
    socket.resume()
    const error = await waitUntil('the read ends', () => refusals[0])
    expect(error).toBeInstanceOf(Problem)
    expect((error as Problem).status).toBe(400)
  })
})

test('serves the next request on the connection after a rejected body', async () => {
  const packed = 'x'.repeat(500)
  const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
  const answers = await converse(
    served.port,
    `${head}content-encoding: rot13\r\ncontent-length: 500\r\n\r\n${packed}` +
      `${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`
  )
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415', 'HTTP/1.1 200'])
})

test('does not reuse the buffer of a body that is in use', async () => {
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const route = aRoute('post', '/', (call) =>
    call.useBody({}, async (body) => {
      if (body[0] === 97) {
        begun.resolve()
        await finish.promise
      }
      return jsonReply(200, String(body.every((byte) => byte === body[0])))
    })
  )
  const other = await serve([{ ...route, surface: 'ingest' }])
  const send = (fill: string) =>
    fetch(other.url, { method: 'POST', body: Buffer.alloc(200_000, fill) })
  const first = send('a')
  await begun.promise
  await send('b')
  finish.resolve()
  expect(await (await first).text()).toBe('true')
  await other.close()
})
