/** Tests that malformed HTTP is rejected once, and that no bytes after it are handled as a request.
 */
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'

let gateway: Application
let port: number
/** Valid request with a valid API key. */
let good: string

beforeAll(async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  gateway = await sluice.start('gateway', { GATEWAY_ROUTES: 'all' })
  port = Number(new URL(gateway.url).port)
  key = `authorization: Bearer ${tenant.api_key}\r\ncontent-type: application/json\r\n`
  const body = JSON.stringify(aDecisionBody())
  good = `${post}${key}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
})

const post = 'POST /v1/ingest HTTP/1.1\r\nhost: x\r\n'
let key = ''
const smuggled = 'GET /v1/smuggled HTTP/1.1\r\nhost: x\r\n\r\n'

interface Conversation {
  readonly statuses: readonly number[]
  readonly text: string
}

const patienceMs = 15_000

/** Sends the bytes, then waits until the gateway closes the connection. */
function converse(bytes: string): Promise<Conversation> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')))
    socket.setTimeout(patienceMs, () => {
      reject(new Error(`not closed; so far ${Buffer.concat(chunks).toString('latin1')}`))
      socket.destroy()
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
      resolve({ statuses, text })
    })
  })
}

/** Checks that there is exactly one response, and that it is a problem response. */
function expectProblem({ statuses, text }: Conversation, status: number | null): void {
  expect(statuses).toEqual([status ?? expect.any(Number)])
  expect(Math.floor((statuses[0] ?? 0) / 100)).toBe(4)
  expect(text).toContain('content-type: application/problem+json\r\n')
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status: statuses[0] })
}

const chunked = 'transfer-encoding: chunked\r\n'
const none = '0\r\n\r\n'

describe('ambiguous requests', () => {
  const shapes: [string, () => string][] = [
    ['a length and chunks', () => `${post}${key}content-length: 4\r\n${chunked}\r\n${none}`],
    ['chunks and a length', () => `${post}${key}${chunked}content-length: 4\r\n\r\n${none}`],
    ['two lengths', () => `${post}${key}content-length: 2\r\ncontent-length: 40\r\n\r\n{}`],
    [
      'the same length twice',
      () => `${post}${key}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`
    ],
    ['a list of lengths', () => `${post}${key}content-length: 2, 2\r\n\r\n{}`],
    ['a length with a sign', () => `${post}${key}content-length: +2\r\n\r\n{}`],
    ['a negative length', () => `${post}${key}content-length: -2\r\n\r\n{}`],
    ['a length in hex', () => `${post}${key}content-length: 0x2\r\n\r\n{}`],
    ['an empty length', () => `${post}${key}content-length: \r\n\r\n{}`],
    ['a length above 2^64', () => `${post}${key}content-length: 18446744073709551618\r\n\r\n{}`],
    ['two hosts', () => `${post}host: y\r\n${key}content-length: 2\r\n\r\n{}`],
    ['the same host twice', () => `${post}host: x\r\n${key}content-length: 2\r\n\r\n{}`],
    ['no host', () => `POST /v1/ingest HTTP/1.1\r\n${key}content-length: 2\r\n\r\n{}`],
    [
      'gzip, then something else',
      () => `${post}${key}transfer-encoding: gzip, xchunked\r\n\r\n${none}`
    ],
    ['gzip in chunks', () => `${post}${key}transfer-encoding: gzip, chunked\r\n\r\n${none}`],
    [
      'chunks in HTTP/1.0',
      () => `${post.replace('1.1', '1.0')}${key}${chunked}connection: keep-alive\r\n\r\n${none}`
    ],
    ['chunks, then gzip', () => `${post}${key}transfer-encoding: chunked, gzip\r\n\r\n${none}`],
    ['a misspelled encoding', () => `${post}${key}transfer-encoding: xchunked\r\n\r\n${none}`],
    ['identity', () => `${post}${key}transfer-encoding: identity\r\n\r\n${none}`],
    ['two encodings', () => `${post}${key}${chunked}transfer-encoding: cow\r\n\r\n${none}`],
    ['a chunk size above 2^64', () => `${post}${key}${chunked}\r\n10000000000000002\r\n{}\r\n`],
    ['a chunk size in words', () => `${post}${key}${chunked}\r\nzz\r\n{}\r\n${none}`],
    ['a chunk size with 0x', () => `${post}${key}${chunked}\r\n0x2\r\n{}\r\n${none}`],
    ['a chunk longer than it says', () => `${post}${key}${chunked}\r\n2\r\n{}{}\r\n${none}`],
    ['lines that end in LF', () => `${post}${key}content-length: 2\n\n{}`],
    [
      'a request that ends in LF',
      () => 'POST /v1/ingest HTTP/1.1\nhost: x\ncontent-length: 2\n\n{}'
    ],
    ['chunks that end in LF', () => `${post}${key}${chunked}\r\n2\n{}\n0\n\n`],
    ['a header on two lines', () => `${post}${key}x-a: a\r\n b\r\ncontent-length: 2\r\n\r\n{}`],
    ['a length on two lines', () => `${post}${key}content-length:\r\n 2\r\n\r\n{}`],
    ['a space before the colon', () => `${post}${key}content-length : 2\r\n\r\n{}`],
    ['a tab in a name', () => `${post}${key}content\t-length: 2\r\n\r\n{}`],
    ['a header without a name', () => `${post}${key}: 2\r\n\r\n{}`],
    ['a header without a colon', () => `${post}${key}nonsense\r\n\r\n{}`],
    ['NUL in a header', () => `${post}${key}x-a: a\x00b\r\ncontent-length: 2\r\n\r\n{}`],
    ['NUL in a name', () => `${post}${key}content-length\x00: 2\r\n\r\n{}`],
    ['a bare CR', () => `${post}${key}x-a: a\rcontent-length: 2\r\n\r\n{}`],
    ['a control character', () => `${post}${key}x-a: a\x01b\r\ncontent-length: 2\r\n\r\n{}`]
  ]
  test.each(shapes)('%s', async (_what, bytesOf) => {
    const conversation = await converse(bytesOf() + smuggled)
    // The status is not checked, because some of these requests are valid HTTP with an invalid
    // body. A second response would mean that the smuggled request was handled.
    expectProblem(conversation, null)
    expect(conversation.text).toContain('onnection: close')
  })
})

describe('input that is not HTTP/1.1', () => {
  const shapes: [string, string, number | null][] = [
    ['noise', '\x00\x01\x02\xff\xfe\r\n\r\n', 400],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['HTTP/0.9', 'GET /\r\n\r\n', 400],
    ['a line of one word', 'HELLO\r\n\r\n', 400],
    ['an empty method', ' / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a method in lower case', 'get / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/3.7\r\nhost: x\r\n\r\n', 400],
    ['a path with a space', 'GET /a b HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['an invalid path', 'GET nowhere HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['CONNECT', 'CONNECT db:5432 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
    ['20 kB of one header', `${post}x-a: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['20 kB of many headers', `${post}${'x-a: aaaaaaaa\r\n'.repeat(1400)}\r\n`, 431],
    ['a path of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ['an expectation', `${post}expect: miracles\r\ncontent-length: 2\r\n\r\n{}`, 417]
  ]
  test.each(shapes)('%s', async (_what, bytes, status) => {
    expectProblem(await converse(bytes + smuggled), status)
  })
})

describe('unusual but valid requests', () => {
  const close = 'connection: close\r\n\r\n'
  const shapes: [string, string, number][] = [
    ['TRACE', `TRACE /v1/ingest HTTP/1.1\r\nhost: x\r\n${close}`, 405],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nhost: x\r\n${close}`, 404],
    ['an absolute path', `GET http://x/nowhere HTTP/1.1\r\nhost: x\r\n${close}`, 404],
    [
      'an absolute path of another host',
      `POST http://y:1/v1/ingest HTTP/1.1\r\nhost: x\r\n${close}`,
      401
    ],
    ['a path with ..', `GET /v1/../../etc/passwd HTTP/1.1\r\nhost: x\r\n${close}`, 404],
    ['a broken escape', `GET /v1/decisions/%zz HTTP/1.1\r\nhost: x\r\n${close}`, 400],
    ['two slashes', `POST //v1/ingest HTTP/1.1\r\nhost: x\r\n${close}`, 404],
    [
      'a handshake of WebSocket',
      `GET /v1/ingest HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n` +
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n',
      405
    ],
    ['an upgrade to HTTP/2', `GET / HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\n${close}`, 404],
    ['HTTP/1.0 without a host', 'GET / HTTP/1.0\r\n\r\n', 404],
    [
      'a body where none is expected',
      `GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n${close}{}`,
      404
    ]
  ]
  test.each(shapes)('%s', async (_what, bytes, status) => {
    const { statuses, text } = await converse(bytes)
    expect(statuses[0]).toBe(status)
    expect(text).toContain('content-type: application/problem+json\r\n')
    expect(text).not.toMatch(/HTTP\/1\.1 [1235]/)
  })
})

describe('a valid request', () => {
  const last = () => good.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')

  test('in a pipeline gets its response, in order', async () => {
    const { statuses } = await converse(`${good}${smuggled}${good}${last()}`)
    expect(statuses).toEqual([202, 404, 202, 202])
  })

  test('before invalid input gets the only response', async () => {
    const { statuses } = await converse(`${good}\x00\x01garbage\r\n\r\n${good}`)
    expect(statuses).toEqual([202])
  })

  test('after a rejected body gets its response', async () => {
    const refused = `${post}${key}content-encoding: x\r\ncontent-length: ${smuggled.length}\r\n\r\n`
    const { statuses } = await converse(`${refused}${smuggled}${last()}`)
    expect(statuses).toEqual([415, 202])
  })

  test('with an invalid key gets its error before 100 Continue', async () => {
    const head = `${post}expect: 100-continue\r\ncontent-type: application/json\r\n`
    const refused = await converse(`${head}content-length: 99\r\n\r\n`)
    expect(refused.statuses).toEqual([401])
    const invited = await converse(last().replace('host: x', 'host: x\r\nexpect: 100-continue'))
    expect(invited.statuses).toEqual([100, 202])
  })
})

test('the gateway keeps running and logs no error', async () => {
  expect(await gateway.isReady()).toBe(true)
  expect(gateway.log()).not.toMatch(/"level":"(error|fatal)"|unexpected/)
  expect(await gateway.metrics()).not.toMatch(/sluice_http_requests_total\{[^}]*status="5/)
})
