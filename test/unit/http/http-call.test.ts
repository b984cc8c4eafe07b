/** Tests that the address of a call is the peer's, or the one that trusted proxies forward. */
import { afterEach, expect, test } from '@jest/globals'
import { createExpress } from '../../../http/express.ts'
import type { Response } from '../../../http/express.ts'
import { HttpCall } from '../../../http/http-call.ts'
import type { HttpCallParts } from '../../../http/http-call.ts'
import { jsonReply } from '../../../http/call.ts'
import { aRoute, serve } from './serving.ts'
import type { Served } from './serving.ts'

interface Hop {
  readonly trusted: readonly string[]
  readonly peer: string | undefined
  readonly forwarded: string | undefined
}

/** Creates a request with Express and returns the address of its call. */
function addressOf({ trusted, peer, forwarded }: Hop): string {
  const app = createExpress()
  app.set('trust proxy', trusted)
  const request = Object.create(app.request, {
    headers: { value: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } },
    socket: { value: { remoteAddress: peer } }
  }) as HttpCallParts['request']
  const lease = {} as HttpCallParts['lease']
  return new HttpCall({ request, response: {} as Response, lease, requestId: '' }).remote_address
}

const proxies = ['10.0.0.0/8', '192.0.2.1', '2001:db8:ffff::/48']

test.each<[string, string | undefined, string | undefined, string]>([
  ['a client without a proxy', '203.0.113.7', undefined, '203.0.113.7'],
  ['a client that forges the header', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a client that claims a proxy', '203.0.113.7', '198.51.100.1, 10.0.0.1', '203.0.113.7'],
  ['a proxy of a network', '10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['a proxy by address', '192.0.2.1', '203.0.113.7', '203.0.113.7'],
  ['an untrusted host near a proxy', '192.0.2.2', '203.0.113.7', '192.0.2.2'],
  ['a forged address before the real one', '10.1.2.3', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['several proxies', '10.1.2.3', '203.0.113.7, 192.0.2.1, 10.9.9.9', '203.0.113.7'],
  ['a forged proxy', '10.1.2.3', '1.1.1.1, 10.0.0.1, 203.0.113.7, 192.0.2.1', '203.0.113.7'],
  ['an IPv6 client', '10.1.2.3', '2001:db8:1::7', '2001:db8:1::7'],
  ['an IPv6 proxy', '2001:db8:ffff::1', '2001:db8:1::7', '2001:db8:1::7'],
  ['an untrusted IPv6 host', '2001:db8:fffe::1', '2001:db8:1::7', '2001:db8:fffe::1'],
  ['a mapped proxy', '::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['a mapped proxy in the header', '10.1.2.3', '203.0.113.7, ::ffff:10.0.0.1', '203.0.113.7'],
  ['an untrusted mapped address', '::ffff:203.0.113.7', '198.51.100.1', '::ffff:203.0.113.7'],
  ['a proxy that forwards itself', '10.1.2.3', undefined, '10.1.2.3'],
  ['only proxies', '10.1.2.3', '10.0.0.1, 192.0.2.1', '10.0.0.1'],
  ['an address with a port', '10.1.2.3', '203.0.113.7:4711', '10.1.2.3'],
  ['a word', '10.1.2.3', 'unknown', '10.1.2.3'],
  ['an empty header', '10.1.2.3', ' , ', '10.1.2.3'],
  ['a closed connection', undefined, '203.0.113.7', '']
])('%s: from %s with %j', (_, peer, forwarded, address) => {
  expect(addressOf({ trusted: proxies, peer, forwarded })).toBe(address)
})

let served: Served | undefined
afterEach(() => served?.close())

const who = aRoute('get', '/who', async (call) => jsonReply(200, `"${call.remote_address}"`))
const ask = async (trustedProxies: readonly string[]): Promise<unknown> => {
  served = await serve([who], { trustedProxies })
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  return await (await fetch(`${served.url}/who`, { headers })).json()
}

test('a server without trusted proxies ignores the header', async () => {
  expect(await ask([])).toBe('127.0.0.1')
})

test('a server reads the header of its trusted proxies', async () => {
  expect(await ask(['127.0.0.0/8'])).toBe('203.0.113.7')
})
