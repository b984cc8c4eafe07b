/** Tests that an invalid HTTP request gets a client error on a connection that is then closed, and
 * that the server sets all its limits.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { jsonReply } from '../../../http/call.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { aRoute, converse, serve } from './serving.ts'
import type { Served } from './serving.ts'

let handled = 0
let served: Served

beforeAll(async () => {
  const read = aRoute('post', '/', async (call) => {
    handled += 1
    return jsonReply(200, await call.useBody({}, async (body) => JSON.stringify(body.toString())))
  })
  served = await serve([read])
})
afterAll(() => served.close())

const post = 'POST / HTTP/1.1\r\nhost: x\r\n'

const garbage: [string, string][] = [
  ['noise', '\x00\x01\x02\xff\xfe\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a request line of one word', 'HELLO\r\n\r\n'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['an unknown version', 'POST / HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['no host', 'POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n'],
  [
    'a length and chunks',
    `${post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`
  ],
  [
    'chunks and a length',
    `${post}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n`
  ],
  ['two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`],
  ['two equal lengths', `${post}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`],
  ['a list of lengths', `${post}content-length: 2, 2\r\n\r\n{}`],
  ['a negative length', `${post}content-length: -1\r\n\r\n`],
  ['a length with a sign', `${post}content-length: +2\r\n\r\n{}`],
  ['a length in hex', `${post}content-length: 0x2\r\n\r\n{}`],
  ['chunks not at the end', `${post}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  ['a misspelled encoding', `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['an invalid chunk size', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ['a size of chunk too large', `${post}transfer-encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`],
  ['a space before the colon', `${post}content-length : 2\r\n\r\n{}`],
  ['a header without a colon', `${post}nonsense\r\n\r\n`],
  ['NUL in a header', `${post}x-a: a\x00b\r\n\r\n`],
  ['a bare carriage return', `${post}x-a: a\rb\r\n\r\n`],
  ['20 kB of one header', `${post}x-a: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['20 kB of many headers', `${post}${'x-a: aaaaaaaa\r\n'.repeat(1400)}\r\n`],
  ['a path of 20 kB', `POST /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`]
]

describe("is rejected once as the caller's error, and the connection is closed", () => {
  test.each(garbage)('%s', async (_what, bytes) => {
    const answer = await converse(served.port, Buffer.from(bytes, 'latin1'))
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([expect.stringMatching(/ 4\d\d$/)])
    expect(answer.toLowerCase()).toContain('connection: close')
  })
})

test('the response is a problem with the right length', async () => {
  const answer = await converse(served.port, 'HELLO\r\n\r\n')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head).toContain('content-type: application/problem+json')
  expect(head).toContain(`content-length: ${body.length}`)
  expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'malformed_request' })
})

test('does not handle a request smuggled after an ambiguous one', async () => {
  handled = 0
  const smuggled = `${post}content-length: 0\r\n\r\n`
  await converse(
    served.port,
    `${post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`
  )
  expect(handled).toBe(0)
})

test('valid requests before invalid input get responses, and the invalid input none', async () => {
  const good = `${post}content-length: 2\r\n\r\n{}`
  const answer = await converse(served.port, `${good}${good}\x00\r\n`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
})

const chunked = `${post}transfer-encoding: chunked\r\n\r\n`

test('invalid input within a request gets its response after earlier requests', async () => {
  const good = `${post}content-length: 2\r\n\r\n{}`
  const answer = await converse(served.port, `${good}${good}${chunked}zz\r\n`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
    ...['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']
  ])
  await waitUntil(
    'no request is in progress',
    async () => served.httpLimits.admission.inProgress() === 0
  )
})

test('answers CONNECT after the requests before it', async () => {
  const good = `${post}content-length: 2\r\n\r\n{}`
  const connect = 'CONNECT db:5432 HTTP/1.1\r\nhost: x\r\n\r\n'
  const answer = await converse(served.port, `${good}${good}${connect}`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
    ...['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 405']
  ])
})

test('accepts 15 kB of headers', async () => {
  const bytes = `${post}x-a: ${'a'.repeat(15e3)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
  expect(await converse(served.port, bytes)).toMatch(/^HTTP\/1\.1 200/)
})

test('sets every time limit and every count limit', () => {
  expect(served.server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    maxConnections: 1000,
    maxRequestsPerSocket: 100_000
  })
})
