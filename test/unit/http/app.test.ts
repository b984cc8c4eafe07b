/** Tests the app over HTTP: responses and their headers, calls to handlers, and connections. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { connect } from 'node:net'
import { Problem } from '../../../core/problem.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Call } from '../../../http/call.ts'
import { createDocs } from '../../../http/docs.ts'
import type { Handle } from '../../../http/route.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { aRoute, converse, serve } from './serving.ts'
import type { Served } from './serving.ts'

const calls: Call[] = []
let served: Served | undefined

afterEach(async () => {
  calls.length = 0
  await served?.close()
})

const echo: Handle = async (call) => {
  calls.push(call)
  return jsonReply(200, JSON.stringify({ params: call.params, query: call.query }))
}
const routes = [
  aRoute('get', '/things', echo),
  aRoute('post', '/things', async (call) =>
    jsonReply(201, await call.useBody({}, async (body) => body.toString()))
  ),
  aRoute('get', '/things/:thing_id', echo),
  aRoute('get', '/refused', async () => {
    throw new Problem('rate_limited', { detail: 'Slowly.', headers: { 'retry-after': '7' } })
  }),
  aRoute('get', '/broken', async () => {
    throw new TypeError('secret of the row')
  }),
  aRoute('get', '/broken-at-once', () => {
    throw new TypeError('secret of the row')
  })
]

async function get(path: string, init: RequestInit = {}) {
  served ??= await serve(routes)
  const answer = await fetch(served.url + path, init)
  const text = await answer.text()
  const body = text === '' ? null : (JSON.parse(text) as Record<string, unknown>)
  return { status: answer.status, headers: answer.headers, body }
}

afterEach(() => void (served = undefined))

describe('a response', () => {
  test('is what the handler returned, with the common headers', async () => {
    const { status, headers } = await get('/things')
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-length': '24'
    })
    expect(headers.has('x-powered-by')).toBe(false)
    expect(headers.has('etag')).toBe(false)
  })

  test('has a length in bytes, not characters', async () => {
    const answer = await get('/things', { method: 'POST', body: '"é👍"' })
    expect(answer.headers.get('content-length')).toBe('8')
    expect(answer.body).toBe('é👍')
  })

  test('is counted by operation and status', async () => {
    await get('/things')
    await get('/refused')
    await get('/nowhere')
    expect(served?.metrics.labelsOf('sluice_http_requests_total')).toEqual([
      { operation: 'get/things', status: '200' },
      { operation: 'get/refused', status: '429' },
      { operation: 'unknown', status: '404' }
    ])
  })

  test('is timed only when decisions were accepted', async () => {
    const ingest = (path: string, status: number) => ({
      ...aRoute('post', path, async () => jsonReply(status, '{}')),
      surface: 'ingest' as const
    })
    served = await serve([ingest('/all', 202), ingest('/some', 207), ingest('/none', 503)])
    for (const path of ['/all', '/some', '/none']) await get(path, { method: 'POST' })
    const { observations } = served.metrics
    expect(observations.map(({ name }) => name)).toEqual(Array(2).fill('sluice_ingest_seconds'))
    expect(observations.filter(({ value }) => value > 0 && value < 60)).toHaveLength(2)
  })

  test('has no body for HEAD', async () => {
    const { status, body } = await get('/things', { method: 'HEAD' })
    expect([status, body]).toEqual([200, null])
  })
})

describe('the call to a handler', () => {
  test('has decoded path parameters', async () => {
    expect((await get('/things/a%20b%2Fc')).body).toMatchObject({ params: { thing_id: 'a b/c' } })
  })

  test('has query parameters as strings and lists of strings', async () => {
    const { body } = await get('/things?a=1&b=x&b=y&c[d]=2&__proto__=z')
    expect(body?.['query']).toMatchObject({ a: '1', b: ['x', 'y'], 'c[d]': '2' })
    expect(Object.prototype).not.toHaveProperty('z')
  })

  test('has the address of the caller', async () => {
    await get('/things')
    expect(calls[0]?.remote_address).toMatch(/127\.0\.0\.1$/)
  })

  test('has a signal that is aborted when the caller disconnects', async () => {
    const signals: AbortSignal[] = []
    const hanging = aRoute('get', '/hanging', (call) => {
      signals.push(call.signal)
      return new Promise(() => {})
    })
    served = await serve([hanging])
    const socket = connect(served.port, '127.0.0.1')
    socket.write('GET /hanging HTTP/1.1\r\nhost: x\r\n\r\n')
    const signal = await waitUntil('the handler is called', () => signals[0])
    expect(signal.aborted).toBe(false)
    socket.destroy()
    await waitUntil('the signal is aborted', () => signal.aborted)
  })
})

describe('the id of the request', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(128)])('%s is taken from the caller', async (id) => {
    const { headers } = await get('/things', { headers: { 'x-request-id': id } })
    expect(headers.get('x-request-id')).toBe(id)
    expect(calls[0]?.request_id).toBe(id)
  })

  test.each([undefined, '', 'a b', 'x'.repeat(129), 'é', '<script>', 'a, b'])(
    'is generated instead of %j',
    async (id) => {
      const { headers } = await get('/things', {
        headers: id === undefined ? {} : { 'x-request-id': id }
      })
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/)
    }
  )

  test('is the same in the header and in a problem', async () => {
    const { headers, body } = await get('/refused')
    expect(body?.['request_id']).toBe(headers.get('x-request-id'))
  })
})

describe('a problem', () => {
  test('is problem+json with its own headers', async () => {
    const { status, headers, body } = await get('/refused')
    expect(status).toBe(429)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.get('retry-after')).toBe('7')
    expect(body).toMatchObject({ code: 'rate_limited', status: 429, detail: 'Slowly.' })
    expect(served?.logger.entries).toEqual([])
  })

  test.each(['/nowhere', '/', '/things/a/b', '/docs', '/openapi.json'])(
    'returns 404 for an unknown route: %s',
    async (path) => {
      const { status, body } = await get(path)
      expect([status, body?.['code']]).toEqual([404, 'route_not_found'])
    }
  )

  test.each([
    ['/things', 'DELETE', 'GET, POST'],
    ['/things', 'PUT', 'GET, POST'],
    ['/things/1', 'POST', 'GET'],
    ['/things/1', 'OPTIONS', 'GET']
  ])('returns 405 with the allowed methods: %s %s', async (path, method, allow) => {
    const { status, headers, body } = await get(path, { method })
    expect([status, body?.['code']]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')).toBe(allow)
  })

  test.each(['/broken', '/broken-at-once'])(
    'hides the cause of an unexpected error, which is logged: %s',
    async (path) => {
      const { status, headers, body } = await get(path)
      expect([status, body?.['code']]).toEqual([500, 'internal_error'])
      expect(JSON.stringify(body)).not.toMatch(/secret|TypeError|at /)
      const request_id = headers.get('x-request-id')
      expect(served?.logger.entries).toMatchObject([
        { level: 'error', fields: { request_id, error: { message: 'secret of the row' } } }
      ])
    }
  )
})

describe('a connection', () => {
  test('serves one request after the other, even after an early response', async () => {
    served = await serve(routes)
    const body = 'x'.repeat(1000)
    const text = await converse(
      served.port,
      `POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${body}` +
        'GET /things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  test('is closed after the response once the process stops', async () => {
    served = await serve(routes, { isLeaving: () => true })
    const text = await converse(served.port, 'GET /things HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200/)
    expect(text.toLowerCase()).toContain('connection: close')
  })

  test('responds to all requests sent together before it is closed for shutdown', async () => {
    served = await serve(routes, { isLeaving: () => true })
    const text = await converse(served.port, 'GET /things HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5))
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(5).fill('HTTP/1.1 200'))
    expect(text.match(/connection: close/gi)).toHaveLength(1)
  })

  test('is not closed for shutdown before the request after a late body is answered', async () => {
    served = await serve(routes, { isLeaving: () => true })
    const text = await converse(
      served.port,
      'POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345',
      '67890GET /things HTTP/1.1\r\nhost: x\r\n\r\n'
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })
})

test('serves the documentation when it is enabled', async () => {
  served = await serve(routes, { docs: createDocs({ openapi: '3.1.0' }) })
  const page = await fetch(`${served.url}/docs`)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await page.text()).toContain('/docs/swagger-ui-bundle.js')
  expect((await get('/openapi.json')).body).toEqual({ openapi: '3.1.0' })
  expect((await get('/docs/..%2fpackage.json')).status).toBe(404)
})
