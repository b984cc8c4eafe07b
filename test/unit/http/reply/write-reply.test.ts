/** Tests the headers of every response, and that the connection of a caller that does not read is
 * closed.
 */
import { connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import manifest from '../../../../package.json' with { type: 'json' }
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served | undefined
afterEach(() => served?.close())

const get = 'GET / HTTP/1.1\r\nhost: x\r\n'

test('every response has its headers once, and none that names the HTTP server', async () => {
  served = await serve([aRoute('get', '/', async () => jsonReply(200, '{}'))])
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  const lines = (text.split('\r\n\r\n')[0] ?? '').toLowerCase().split('\r\n').slice(1)
  const names = lines.map((line) => line.split(':')[0])
  expect(names.toSorted()).toEqual(
    [
      'connection',
      'content-length',
      'content-security-policy',
      'content-type',
      'cache-control',
      'date',
      'x-content-type-options',
      'x-request-id',
      'x-sluice-version'
    ].toSorted()
  )
  expect(lines).toContain(`x-sluice-version: ${manifest.version}`)
  expect(lines).toContain("content-security-policy: default-src 'none'; frame-ancestors 'none'")
})

test('a page keeps its own policy', async () => {
  const headers = { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" }
  served = await serve([aRoute('get', '/', async () => ({ status: 200, headers, body: '' }))])
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  expect(text.match(/content-security-policy: .*/g)).toEqual([
    "content-security-policy: default-src 'self'"
  ])
})

test('closes a long response that is not read, but not one that is read late', async () => {
  const long = JSON.stringify('x'.repeat(32 * 1024 * 1024))
  served = await serve([aRoute('get', '/', async () => jsonReply(200, long))], {
    responseTimeoutMs: 1500
  })
  await expectCut(served, `${get}\r\n`)
  const text = await converse(served.port, `${get}connection: close\r\n\r\n`)
  expect(text.length).toBeGreaterThan(long.length)
})

test('also closes a connection whose second response is not read', async () => {
  const long = JSON.stringify('x'.repeat(32 * 1024 * 1024))
  const short = aRoute('get', '/short', async () => jsonReply(200, '{}'))
  served = await serve([short, aRoute('get', '/', async () => jsonReply(200, long))], {
    responseTimeoutMs: 1500
  })
  await expectCut(served, `GET /short HTTP/1.1\r\nhost: x\r\n\r\n${get}\r\n`)
})

/** Sends the requests, reads nothing, and expects the connection to be closed. */
async function expectCut({ port, server }: Served, requests: string): Promise<void> {
  const deaf = connect(port, '127.0.0.1')
  deaf.on('error', () => {})
  deaf.pause()
  deaf.write(requests)
  const connections = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  await waitUntil('it is connected', async () => (await connections()) === 1)
  await waitUntil('it is closed', async () => (await connections()) === 0)
  deaf.destroy()
}
