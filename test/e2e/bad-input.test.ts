/** Tests that the gateway rejects invalid input with the documented error, and writes nothing to
 * Kafka.
 */
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { expectNothingProduced } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

let sluice: Installation
let tenant: Tenant
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  gateway = await sluice.start('gateway')
})

type Request = { body: string | Buffer; headers?: Record<string, string> }
type Answer = { status: number; headers: Headers; problem: Record<string, unknown> }

async function post({ body, headers = {} }: Request): Promise<Answer> {
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: {
      authorization: `Bearer ${tenant.api_key}`,
      'content-type': 'application/json',
      ...headers
    }
  })
  const problem = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, headers: answer.headers, problem }
}

/**
 * Sends an invalid request and checks that it produced no record: the next record must belong to a
 * valid decision sent afterwards.
 */
async function refused(request: Request): Promise<Answer> {
  const answers: Answer[] = []
  const sentinel = (): Promise<string> => clientOf(gateway, tenant).accept(aDecisionBody())
  await expectNothingProduced(
    sluice.topics.decisions,
    async () => void answers.push(await post(request)),
    sentinel
  )
  const [answer] = answers
  if (answer === undefined) throw new Error('no response')
  return answer
}

const good = '"input":1,"output":"x"'
const mebibyte = 1024 * 1024
const pointers = ({ problem }: Answer): unknown[] =>
  (problem['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)

describe('an unreadable body', () => {
  const cases: [string, Request, [number, string]][] = [
    ['is empty', { body: '' }, [400, 'malformed_json']],
    ['is cut off', { body: `{${good}` }, [400, 'malformed_json']],
    ['has a trailing comma', { body: `{${good},}` }, [400, 'malformed_json']],
    ['has a bare word', { body: `{${good},"x":nul}` }, [400, 'malformed_json']],
    [
      'has a raw control character',
      { body: `{"input":1,"output":"\u0001"}` },
      [400, 'malformed_json']
    ],
    ['has text after its end', { body: `{${good}} {}` }, [400, 'malformed_json']],
    [
      'is not UTF-8',
      {
        body: Buffer.concat([
          Buffer.from('{"input":1,"output":"'),
          Buffer.from([0xff, 0xfe, 0x22, 0x7d])
        ])
      },
      [400, 'malformed_encoding']
    ],
    [
      'is not gzip as declared',
      { body: `{${good}}`, headers: { 'content-encoding': 'gzip' } },
      [400, 'malformed_encoding']
    ],
    [
      'has an unknown encoding',
      { body: `{${good}}`, headers: { 'content-encoding': 'snappy' } },
      [415, 'unsupported_media_type']
    ],
    [
      'is declared as text',
      { body: `{${good}}`, headers: { 'content-type': 'text/plain' } },
      [415, 'unsupported_media_type']
    ],
    [
      'is declared as UTF-16',
      { body: `{${good}}`, headers: { 'content-type': 'application/json; charset=utf-16le' } },
      [415, 'unsupported_media_type']
    ]
  ]
  test.each(cases)('that %s is rejected and not produced', async (_what, request, expected) => {
    const answer = await refused(request)
    expect([answer.status, answer.problem['code']]).toEqual(expected)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.problem['request_id']).toBe(answer.headers.get('x-request-id'))
  })

  test('is reported with line and column', async () => {
    const { problem } = await post({ body: '{"input":1,\n "output":x}' })
    expect(problem).toMatchObject({ position: 22, retryable: false })
    expect(problem['detail']).toBe('The body is not JSON at line 2, column 11.')
  })
})

describe('an invalid decision', () => {
  const cases: [string, string, string[]][] = [
    ['lacks both required members', '{}', ['/input', '/output']],
    ['is a list', '[1,2]', ['']],
    ['is a number', ' 12 ', ['']],
    ['is null', 'null', ['']],
    ['has an output that is a number', '{"input":1,"output":5}', ['/output']],
    [
      'has members of wrong types',
      `{${good},"agent_id":5,"metadata":[],"input_tokens":1.5}`,
      ['/agent_id', '/metadata', '/input_tokens']
    ],
    ['counts fewer than zero tokens', `{${good},"output_tokens":-1}`, ['/output_tokens']],
    [
      'counts more tokens than a number can',
      `{${good},"output_tokens":9007199254740993}`,
      ['/output_tokens']
    ],
    [
      'has an agent_id that is too long',
      `{${good},"agent_id":"${'a'.repeat(256)}"}`,
      ['/agent_id']
    ],
    ['has NUL in its agent_id', `{${good},"agent_id":"a\\u0000b"}`, ['/agent_id']],
    [
      'has an id that is not a UUID',
      `{${good},"decision_id":"{01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55}"}`,
      ['/decision_id']
    ],
    ['has a duplicate member', `{${good},"output":"y"}`, ['/output']],
    ['has a duplicate member in two spellings', `{${good},"\\u006futput":"y"}`, ['/output']],
    ['has an unpaired surrogate in its output', `{"input":1,"output":"\\ud83e"}`, ['/output']],
    [
      'has an unpaired surrogate deep in its input',
      `{"input":[{"a":"\\udd16"}],"output":"x"}`,
      ['/input']
    ],
    [
      'nests deeper than 64 levels',
      `{"input":${'['.repeat(64)}${']'.repeat(64)},"output":"x"}`,
      ['/input']
    ],
    ['has excessive nesting', `{"input":${'['.repeat(4_000_000)}`, ['/input']]
  ]
  test.each(cases)(
    'that %s is rejected with a pointer for each error',
    async (_what, body, expected) => {
      const answer = await refused({ body })
      expect([answer.status, answer.problem['code']]).toEqual([422, 'invalid_decision'])
      expect(pointers(answer)).toEqual(expected)
    }
  )
})

describe('body size limit', () => {
  const large = `{"input":1,"output":"${'x'.repeat(10 * mebibyte)}"}`
  const cases: [string, Request, Record<string, unknown>][] = [
    ['on the wire', { body: large }, { limit_bytes: 10 * mebibyte }],
    [
      'after gunzip',
      { body: gzipSync(large), headers: { 'content-encoding': 'gzip' } },
      { limit_bytes: 10 * mebibyte }
    ],
    [
      'as a brotli bomb',
      { body: brotliCompressSync(large), headers: { 'content-encoding': 'br' } },
      { limit_bytes: 10 * mebibyte }
    ],
    [
      'as a zstd bomb',
      { body: zstdCompressSync(large), headers: { 'content-encoding': 'zstd' } },
      { limit_bytes: 10 * mebibyte }
    ],
    [
      'after encoding',
      { body: `{"input":1,"output":"${'x'.repeat(4 * mebibyte)}"}` },
      { pointer: '/output', size_bytes: 4 * mebibyte, limit_bytes: 4 * mebibyte }
    ]
  ]
  test.each(cases)(
    'rejects a body that is too large %s, and produces nothing',
    async (_what, request, members) => {
      const answer = await refused(request)
      expect(answer.status).toBe(413)
      expect(answer.problem).toMatchObject({ code: 'payload_too_large', ...members })
    }
  )

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync]
  ] as const)('accepts a small body that is compressed with %s', async (encoding, compress) => {
    const body = compress(JSON.stringify(aDecisionBody()))
    const answer = await post({ body, headers: { 'content-encoding': encoding } })
    expect(answer.status).toBe(202)
  })
})

describe('a key', () => {
  const body = `{${good}}`
  const cases: [string, () => string, string][] = [
    ['that is missing', () => '', 'api_key_required'],
    ['that is not a bearer token', () => `Basic ${tenant.api_key}`, 'api_key_required'],
    ['that is a session', () => 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.x', 'api_key_required'],
    ['that is mistyped', () => `Bearer ${tenant.api_key.slice(0, -1)}_`, 'api_key_malformed'],
    ['that is truncated', () => `Bearer ${tenant.api_key.slice(0, 30)}`, 'api_key_malformed']
  ]
  test.each(cases)('%s gets 401', async (_what, authorization, code) => {
    const answer = await refused({ body, headers: { authorization: authorization() } })
    expect([answer.status, answer.problem['code']]).toEqual([401, code])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test('without the required scope gets 403 with the missing scope', async () => {
    const reader = await sluice.createTenant({ scopes: ['evaluation:read'] })
    const answer = await refused({ body, headers: { authorization: `Bearer ${reader.api_key}` } })
    expect(answer).toMatchObject({
      status: 403,
      problem: { code: 'scope_missing', scope: 'ingest' }
    })
  })

  test('that is revoked is rejected within seconds', async () => {
    const other = await sluice.createTenant()
    const request = { body, headers: { authorization: `Bearer ${other.api_key}` } }
    expect((await post(request)).status).toBe(202)
    await sluice.database.query(
      `update api_keys set revoked_at = now() where organization_id = $1`,
      [other.organization_id]
    )
    const answer = await waitUntil('the key is rejected', async () => {
      const { status, problem } = await post(request)
      return status === 401 ? problem : null
    })
    expect(answer['code']).toBe('api_key_invalid')
  })
})

test('returns 429 with Retry-After in seconds beyond the limit, and produces nothing', async () => {
  const small = await sluice.createTenant({ rateLimit: 3 })
  const request = { body: `{${good}}`, headers: { authorization: `Bearer ${small.api_key}` } }
  // The third request is invalid, but still counts against the limit.
  const bodies = [request, request, { ...request, body: '{}' }]
  const statuses: number[] = []
  for (const each of bodies) statuses.push((await post(each)).status)
  expect(statuses).toEqual([202, 202, 422])
  const answer = await refused(request)
  expect(answer).toMatchObject({ status: 429, problem: { code: 'rate_limited', retryable: true } })
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(answer.headers.get('ratelimit')).toMatch(/^"organization";r=0;t=[1-9]\d*$/)
})

test('returns 405 for another method and 404 for another path, in the same form', async () => {
  const wrongMethod = await fetch(`${gateway.url}/v1/ingest`)
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST'])
  expect(await wrongMethod.json()).toMatchObject({ code: 'method_not_allowed' })
  const wrongPath = await fetch(`${gateway.url}/v2/ingest`)
  expect(await wrongPath.json()).toMatchObject({ status: 404, code: 'route_not_found' })
})

test('counts exactly one outcome for every received decision', async () => {
  const sum = (text: string): number =>
    [...text.matchAll(/^sluice_ingest_outcomes_total\{.*\} (\d+)$/gm)].reduce(
      (total, [, count]) => total + Number(count),
      0
    )
  const before = sum(await gateway.metrics())
  const bodies = [`{${good}}`, '{}', 'nonsense', '{"input":1}', `{${good}}`]
  for (const body of bodies) await post({ body })
  expect(sum(await gateway.metrics()) - before).toBe(bodies.length)
})

test('returns a problem for a path that Express rejects', async () => {
  const answer = await fetch(`${gateway.url}/v1/decisions/%zz`)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(await answer.json()).toMatchObject({ code: 'malformed_request' })
})

test('treats another spelling of a path as another path', async () => {
  for (const path of ['/V1/ingest', '/v1/ingest/', '/v1//ingest']) {
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(404)
  }
})

test('reads a login body only up to its own small limit', async () => {
  const answer = await fetch(`${gateway.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(JSON.stringify({ email: 'x'.repeat(mebibyte), password: '' })))
  })
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({ limit_bytes: 64 * 1024 })
})

test('rejects thousands of duplicate members without delaying others', async () => {
  const body = gzipSync(`{${'"input":1,'.repeat(400_000)}"output":""}`)
  const answer = await refused({ body, headers: { 'content-encoding': 'gzip' } })
  expect([answer.status, answer.problem['code']]).toEqual([422, 'invalid_decision'])
  expect(await gateway.isReady()).toBe(true)
})
