/** Tests requests to URLs that tenants choose, over real sockets: forbidden addresses and limits.
 */
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { createOutbound } from '../../../../platform/http-client/outbound.ts'
import type {
  Lookup,
  Outbound,
  OutboundOptions
} from '../../../../platform/http-client/outbound.ts'
import { createAuthority } from '../../../support/certificates.ts'
import { onEnd } from '../../../support/cleanup.ts'
import { startHttpsFront } from '../../../support/tls-front.ts'

interface Served {
  readonly port: number
  /** Returns the number of accepted connections. */
  connections(): number
}

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<Served> {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

function outbound(options: Partial<OutboundOptions> = {}): Outbound {
  const made = createOutbound({ privateAddressesAllowed: false, ...options })
  onEnd(() => made.close())
  return made
}

function resolving(...addresses: string[]): Lookup {
  const answer: LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4
  }))
  return (_, __, callback) => callback(null, answer)
}

const ok: RequestListener = (_, response) => response.end('fine')
const onThisMachine = { privateAddressesAllowed: true }

describe('a tenant cannot reach internal addresses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '10.0.0.1',
    'localhost',
    'any.localhost.'
  ])('when a URL is saved and when it is used: https://%s', async (host) => {
    const { port, connections } = await serve(ok)
    const { addressObjection, fetch } = outbound()
    expect(addressObjection(`https://${host}:${port}/v1`)).toMatch(/^points to /)
    await expect(fetch(`https://${host}:${port}/v1`)).rejects.toThrow(/^the URL points to /)
    expect(connections()).toBe(0)
  })

  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['0.0.0.0'],
    ['10.1.2.3'],
    ['fd00::1'],
    ['fe80::1%lo'],
    ['169.254.169.254'],
    ['8.8.8.8', '127.0.0.1'],
    ['2606:4700::1111', '::ffff:127.0.0.1']
  ])('by a name that resolves to %s %s', async (...addresses) => {
    const { port, connections } = await serve(ok)
    const { addressObjection, fetch } = outbound({ lookup: resolving(...addresses) })
    const url = `https://inside.example:${port}/`
    expect(addressObjection(url)).toBeNull()
    await expect(fetch(url)).rejects.toMatchObject({
      name: 'OutboundError',
      code: 'address_refused',
      message: expect.stringMatching(/^the address /)
    })
    expect(connections()).toBe(0)
  })

  test('by a name that resolves differently later: one look-up per connection', async () => {
    const { port, connections } = await serve(ok)
    const answers = [resolving('127.0.0.1'), resolving('169.254.169.254')]
    let asked = 0
    const lookup: Lookup = (...call) => answers[asked++]?.(...call)
    const { fetch } = outbound({ ...onThisMachine, lookup })
    const url = `http://rebinding.example:${port}/`
    expect(await (await fetch(url, { headers: { connection: 'close' } })).text()).toBe('fine')
    expect(asked).toBe(1)
    await expect(fetch(url)).rejects.toMatchObject({ code: 'address_refused' })
    expect(connections()).toBe(1)
  })

  test('by a redirect: it is returned and not followed', async () => {
    const inside = await serve(ok)
    const { port } = await serve((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inside.port}/` }).end()
    })
    const answer = await outbound(onThisMachine).fetch(`http://127.0.0.1:${port}/`)
    expect(answer.status).toBe(307)
    expect(inside.connections()).toBe(0)
  })

  test('by the address of a metadata service, even if private addresses are allowed', async () => {
    const { addressObjection, fetch } = outbound({
      ...onThisMachine,
      lookup: resolving('169.254.169.254')
    })
    expect(addressObjection('http://169.254.169.254/')).toMatch(/credentials/)
    expect(addressObjection('http://[::ffff:169.254.169.254]/')).toMatch(/credentials/)
    await expect(fetch('http://metadata.example/')).rejects.toThrow(/credentials/)
  })
})

test.each([
  ['http://example.com', 'must begin with https://'],
  ['ftp://example.com', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['https://user:secret@example.com', 'must not contain a user name or password'],
  ['example.com', 'is not a valid URL'],
  ['https://example.com/v1', null],
  ['https://1.1.1.1/v1', null],
  ['https://[2606:4700:4700::1111]/v1', null]
])('%s: %s', (url, objection) => expect(outbound().addressObjection(url)).toBe(objection))

test('accepts http and local addresses if private addresses are allowed', () => {
  const { addressObjection } = outbound(onThisMachine)
  expect(addressObjection('http://localhost:11434/v1')).toBeNull()
  expect(addressObjection('ftp://localhost')).toBe('must begin with https://')
})

test('sends method, headers and body, and reads status, headers and body', async () => {
  const { port } = await serve((request, response) => {
    void text(request).then((body) => {
      const { method, headers } = request
      const seen = { method, body, given: headers['x-given'], encoding: headers['accept-encoding'] }
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] }).end(JSON.stringify(seen))
    })
  })
  const answer = await outbound(onThisMachine).fetch(`http://localhost:${port}/`, {
    method: 'POST',
    headers: { 'x-given': 'yes', 'accept-encoding': 'gzip' },
    body: '{"a":"é"}'
  })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']])
  const seen = { method: 'POST', body: '{"a":"é"}', given: 'yes', encoding: 'identity' }
  expect(await answer.json()).toEqual(seen)
})

test.each([204, 304])('status %d has no body', async (status) => {
  const { port } = await serve((_, response) => response.writeHead(status).end())
  const answer = await outbound(onThisMachine).fetch(`http://127.0.0.1:${port}/`)
  expect([answer.status, await answer.text()]).toEqual([status, ''])
})

describe('a response is bounded', () => {
  const bounded = { ...onThisMachine, responseBytesMax: 1000, timeoutMs: 200 }
  const zeros = Buffer.alloc(100_000)
  const cases: [string, string, RequestListener][] = [
    ['too_large', 'a large body', (_, response) => response.end(zeros)],
    [
      'too_large',
      'a body that expands when decompressed',
      (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(zeros))
    ],
    ['timeout', 'silence', () => {}],
    ['timeout', 'silence within the body', (_, response) => void response.write('{')],
    ['interrupted', 'a cut', (request) => request.socket.destroy()],
    [
      'interrupted',
      'a cut within the body',
      (request, response) => response.write('{', () => request.socket.destroy())
    ]
  ]
  test.each(cases)('%s: %s', async (code, _, listener) => {
    const { port } = await serve(listener)
    const { fetch } = outbound(bounded)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code })
  })
  test('decompresses a response that is compressed unrequested', async () => {
    const { port } = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('fine'))
    })
    const answer = await outbound(bounded).fetch(`http://127.0.0.1:${port}/`)
    expect(await answer.text()).toBe('fine')
  })
})

test('reports a closed port as unreachable, by address and by name', async () => {
  const { fetch } = outbound(onThisMachine)
  await expect(fetch('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'unreachable' })
  await expect(fetch('http://absent.invalid/')).rejects.toMatchObject({ code: 'unreachable' })
})

test('reports an untrusted certificate as unreachable', async () => {
  const { port } = await serve(ok)
  const issued = await (await createAuthority('nobody')).issue('provider')
  const front = await startHttpsFront(`http://127.0.0.1:${port}/`, issued, ':')
  await expect(outbound(onThisMachine).fetch(front.url)).rejects.toMatchObject({
    code: 'unreachable'
  })
})

test('rejects with the reason of a caller that aborts', async () => {
  const { port } = await serve(() => {})
  const reason = new Error('shutting down')
  const signal = AbortSignal.abort(reason)
  const { fetch } = outbound(onThisMachine)
  await expect(fetch(`http://127.0.0.1:${port}/`, { signal })).rejects.toBe(reason)
})
