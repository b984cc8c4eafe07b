/** Tests the doctor's findings with gateways and with other servers. */
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { createApiKey } from '../../../../../../core/ids/api-key.ts'
import { runChecks } from '../../../../../../sdk/typescript/src/doctor/run-checks.ts'
import type { CheckInput } from '../../../../../../sdk/typescript/src/doctor/run-checks.ts'
import type { Finding } from '../../../../../../sdk/typescript/src/doctor/finding.ts'

type Reply = readonly [status: number, body: object | string, headers?: Record<string, string>]
type Replies = Partial<Record<'whoami' | 'ingest' | 'stored', Reply>>

const { api_key: apiKey } = createApiKey('live')
const id = '01a2b3c4-0000-7000-8000-000000000000'
const key = { kind: 'api_key', name: 'first', scopes: ['ingest'], organization: { name: 'Acme' } }
const good: Required<Replies> = {
  whoami: [200, key],
  ingest: [202, { decision_id: id, queued: true }],
  stored: [200, { decision_id: id, state: 'stored' }]
}

function problem(code: string, status: number): Reply {
  return [status, { code, title: `The title of ${code}` }]
}

function routeOf(url: string): keyof Replies {
  if (url === '/base/v1/auth/whoami') return 'whoami'
  return url === '/base/v1/ingest' ? 'ingest' : 'stored'
}

/** Runs the doctor against a server that sends these replies. */
async function runAgainst(replies: Replies, more: Partial<CheckInput> = {}): Promise<Finding[]> {
  const seen: string[] = []
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization ?? '')
    const [status, body, headers] = replies[routeOf(request.url ?? '')] ?? problem('none', 404)
    response.writeHead(status, { connection: 'close', ...headers })
    request.resume().on('end', () => response.end(toText(body)))
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
  try {
    const findings = await run({ baseUrl, ...more })
    expect(new Set(seen)).toEqual(new Set(seen.length > 0 ? [`Bearer ${apiKey}`] : []))
    expect(JSON.stringify(findings)).not.toContain(apiKey.slice(10))
    return findings
  } finally {
    server.close()
  }
}

function toText(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

async function run(more: Partial<CheckInput>): Promise<Finding[]> {
  const findings: Finding[] = []
  const given = { apiKey, baseUrl: null, disabled: false, timeoutMs: 5000, warnings: [] }
  for await (const finding of runChecks({
    ...given,
    waitSeconds: 0,
    createId: () => id,
    ...more
  })) {
    findings.push(finding)
  }
  return findings
}

function statesOf(findings: Finding[]): string[] {
  return findings.map(({ check, state }) => `${check} ${state}`)
}

test('passes all checks with a working gateway', async () => {
  const findings = await runAgainst(good)
  expect(statesOf(findings)).toEqual(
    ['settings', 'key', 'dns', 'connection', 'scope', 'clock', 'send', 'stored'].map(
      (check) => `${check} ok`
    )
  )
  expect(findings.every(({ hint }) => hint === null)).toBe(true)
  expect(findings[4]?.detail).toBe('key "first" of "Acme"; scopes: ingest')
})

describe('settings', () => {
  test.each([
    [{ apiKey: null }, 'the base URL is not set', 'the API key is not set'],
    [{ apiKey: `${apiKey}x` }, 'the base URL is not set', /is malformed/]
  ])('%j', async (more, settings, key) => {
    const findings = await run(more)
    expect(statesOf(findings)).toEqual(['settings failed', 'key failed'])
    expect(findings.map(({ detail }) => detail)).toEqual([
      settings,
      typeof key === 'string' ? key : expect.stringMatching(key)
    ])
  })

  test('suggests removing quotes around a key', async () => {
    const [, found] = await run({ apiKey: `"${apiKey}"` })
    expect(found?.hint).toContain('without quotes')
  })

  test('reports invalid settings and `disabled`, and continues', async () => {
    const findings = await runAgainst(good, { disabled: true, warnings: ['batch_max_items is 0'] })
    expect(statesOf(findings).slice(0, 3)).toEqual([
      'settings failed',
      'settings failed',
      'settings ok'
    ])
    expect(findings).toHaveLength(10)
  })
})

test.each([
  ['http://nowhere.invalid', 'dns', /nowhere[.]invalid cannot be resolved/],
  ['http://127.0.0.1:1', 'connection', /cannot connect to 127[.]0[.]0[.]1:1/]
])('reports %s', async (baseUrl, check, detail) => {
  const last = (await run({ baseUrl })).at(-1)
  expect(last).toMatchObject({ check, state: 'failed', detail: expect.stringMatching(detail) })
  expect(last?.hint).toContain('SLUICE_BASE_URL')
})

test('distinguishes a server without TLS from one that does not respond', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const findings = await run({ baseUrl: `https://127.0.0.1:${port}` })
  server.close()
  expect(findings.at(-1)).toMatchObject({
    check: 'connection',
    state: 'failed',
    detail: expect.stringMatching(/TLS handshake with .* failed: wrong version number$/),
    hint: expect.stringContaining('http://')
  })
})

describe('reports', () => {
  test.each<[string, Replies, string, RegExp | null]>([
    [
      'an invalid key',
      { whoami: problem('api_key_invalid', 401) },
      'scope failed',
      /Create a new one/
    ],
    [
      'a key without the scope ingest',
      { whoami: [200, { ...key, scopes: ['profiles:read'] }] },
      'scope failed',
      /scope ingest/
    ],
    [
      'a rejected decision',
      { ...good, ingest: problem('rate_limited', 429) },
      'send failed',
      /limit/
    ],
    [
      'a decision that is not stored',
      { ...good, stored: problem('decision_not_found', 404) },
      'stored failed',
      /therefore safe/
    ],
    [
      'a gateway without reads',
      { ...good, stored: problem('route_not_found', 404) },
      'stored skipped',
      null
    ],
    ['a redirect', { whoami: [302, '', { location: '/login' }] }, 'scope failed', /login page/],
    ['another server', { whoami: [200, '<html>'] }, 'scope failed', /SLUICE_BASE_URL/]
  ])('%s', async (_, replies, state, hint) => {
    const findings = await runAgainst(replies)
    expect(statesOf(findings)).toContain(state)
    const found = findings.find(({ check }) => check === state.split(' ')[0])
    expect(found?.hint).toEqual(hint === null ? null : expect.stringMatching(hint))
  })

  test('a gateway without key lookups, by skipping the scope check', async () => {
    const findings = await runAgainst({ ...good, whoami: problem('route_not_found', 404) })
    expect(statesOf(findings).slice(4)).toEqual([
      'scope skipped',
      'clock ok',
      'send ok',
      'stored ok'
    ])
  })
})

test('reports a clock that is ahead', async () => {
  const date = new Date(Date.now() - 90_000).toUTCString()
  const findings = await runAgainst({ ...good, whoami: [200, key, { date }] })
  const clock = findings.find(({ check }) => check === 'clock')
  expect(clock?.state).toBe('failed')
  expect(clock?.detail).toMatch(/^(90|91) s ahead of the gateway$/)
})

test("truncates a server's text and replaces control characters", async () => {
  const title = `\u001b[2J${'x'.repeat(5000)}`
  const findings = await runAgainst({ whoami: [401, JSON.stringify({ code: 'odd', title })] })
  const scope = findings.find(({ check }) => check === 'scope')
  expect(scope?.detail).toMatch(/^401 odd: \ufffd\[2Jx+$/)
  expect(scope?.detail).toHaveLength(1000)
  const long = await runAgainst({ whoami: [200, `{"scopes":["${'x'.repeat(2 ** 20)}"]}`] })
  expect(statesOf(long)).toContain('scope failed')
})
