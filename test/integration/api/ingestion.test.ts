/** Tests the outcomes of ingestion, the rejected requests and the ledger over HTTP. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { insertApiKey } from '../../../store/insert-api-key.ts'
import { hourMs, keptSince } from '../../../usage/usage-keys.ts'
import type { RejectedAttempt } from '../../../usage/usage.ts'
import { createScene, decisionsTopic } from './scene.ts'
import type { Scene } from './scene.ts'

const outcomesPath = '/v1/ingestion/outcomes'
const refusedPath = '/v1/ingestion/refused'
const noCounts = { accepted: 0, rejected: 0, rejected_by_code: {}, dropped: {} }
const counts = { ...noCounts, accepted: 7, rejected: 1, rejected_by_code: { rate_limited: 1 } }

interface Outcomes {
  readonly outcomes: {
    readonly since: string
    readonly keys: readonly { readonly key_id: string; readonly key_name: string }[]
    readonly points: readonly { readonly t: string; readonly accepted: number }[]
  } | null
  readonly meta: { readonly applied: Readonly<Record<string, unknown>> }
}

let scene: Scene
let keyId: string
/** Start times of the periods in the last read of outcomes, then the end of the last period. */
let asked: readonly number[]

beforeAll(async () => {
  scene = await createScene()
  const key = await insertApiKey(scene.database, 'a pepper', {
    organization_id: scene.organizationId,
    ...{ name: 'support agents', environment: 'test', scopes: ['ingest'] },
    ...{ expires_at: null, rate_limit_points: null }
  })
  keyId = key.key_id
})

beforeEach(() => {
  scene.readUsage.attempts = async () => []
  scene.readUsage.outcomes = async (_organizationId, starts, to) => {
    asked = [...starts, to]
    const keys = [
      ['other', noCounts],
      [keyId, counts]
    ] as const
    return { total: counts, keys: new Map(keys), periods: starts.map(() => counts) }
  }
})

async function read(query = '', token?: string): Promise<Outcomes> {
  const { status, body } = await scene.get<Outcomes>(`${outcomesPath}${query}`, token)
  expect(status).toBe(200)
  return body
}

describe('outcomes', () => {
  test('are returned by code, key and hour, with the name of the key', async () => {
    const hour = Date.now() - (Date.now() % hourMs)
    const from = new Date(hour - 2 * hourMs).toISOString()
    const to = new Date(hour).toISOString()
    const { outcomes, meta } = await read(`?from=${from}&to=${to}&interval=hour`)
    expect(asked).toEqual([hour - 2 * hourMs, hour - hourMs, hour])
    expect(outcomes).toEqual({
      ...{ since: from, ...counts, keys_total: 2 },
      keys: [
        { key_id: keyId, key_name: 'support agents', ...counts },
        { key_id: null, key_name: null, ...noCounts }
      ],
      points: asked.slice(0, 2).map((start) => ({ t: new Date(start).toISOString(), ...counts }))
    })
    expect(meta.applied).toEqual({ from, to, interval: 'hour', every: 1, tz: 'UTC' })
  })

  test('begin where the counts begin, and not in the hours before the range', async () => {
    const { outcomes } = await read('?window=90d&interval=day&tz=Asia/Kolkata')
    expect(outcomes?.since).toBe(new Date(keptSince(Date.now())).toISOString())
    expect(asked[0]).toBe(keptSince(Date.now()))
    expect(outcomes?.points[0]?.t.slice(11)).toBe('18:30:00.000Z')
    const { outcomes: past } = await read('?from=-60d&to=-50d')
    expect([past?.points, asked.length]).toEqual([[], 2])
  })

  test('do not name the keys of another organization', async () => {
    const { outcomes } = await read('', scene.foreignToken)
    expect(outcomes?.keys).toMatchObject([{ key_id: keyId, key_name: null }, {}])
  })

  test('are null while Redis is unavailable', async () => {
    scene.readUsage.outcomes = async () => null
    expect((await read()).outcomes).toBeNull()
  })

  test.each([
    ['?window=91d', '/window'],
    ['?tz=Mars/Olympus', '/tz'],
    ['?from=-100d', '/from']
  ])('reject %s', async (query, pointer) => {
    const { status, body } = await scene.get(`${outcomesPath}${query}`)
    expect([status, body['errors']]).toMatchObject([422, [{ pointer }]])
  })
})

describe('rejected requests', () => {
  const attempt: RejectedAttempt = {
    ...{ at: Date.now(), key_id: '', status: 422, code: 'invalid_decision', detail: 'No.' },
    ...{ pointer: '/output', agent_id: null, sdk_version: null, request_id: 'request-1' }
  }

  test('are returned with the name of their key', async () => {
    scene.readUsage.attempts = async (organizationId) => {
      return organizationId === scene.organizationId ? [{ ...attempt, key_id: keyId }] : []
    }
    const { status, body } = await scene.get(refusedPath, scene.tokenAs('viewer'))
    const at = new Date(attempt.at).toISOString()
    const expected = { ...attempt, at, key_id: keyId, key_name: 'support agents' }
    expect([status, body]).toEqual([200, { data: [expected] }])
    expect((await scene.get(refusedPath, scene.foreignToken)).body).toEqual({ data: [] })
  })

  test('are null while Redis is unavailable', async () => {
    scene.readUsage.attempts = async () => null
    expect((await scene.get(refusedPath)).body).toEqual({ data: null })
  })
})

describe('the ledger', () => {
  const hour = Date.UTC(2026, 0, 31, 12)
  const outcomeCounts = {
    ...{ stored: 5, duplicate: 1, conflict: 0, dead_lettered: 0, erased: 0, in_flight: 2 },
    missing: 1
  }
  const partitions = [{ partition: 4, ...outcomeCounts }]
  const record = { partition: 4, offset: 90211, decision_id: randomUUID(), reason: 'row_gone' }
  const times = [hour - 7 * hourMs, hour + 60_000, hour - 7 * hourMs, hour].map((ms) =>
    new Date(ms).toISOString()
  )

  async function store(everyOrganization: boolean): Promise<void> {
    await scene.database.query(
      `insert into ledger_audits (topic, next_at, audited_at, window_from, window_to, hours_from,
                                  hours_to, exact, every_organization)
       values ($1, now(), $2, $2, $3, $4, $5, true, $6)
       on conflict (topic) do update set every_organization = excluded.every_organization`,
      [decisionsTopic, ...times, everyOrganization]
    )
    await scene.database.query(
      `insert into ledger_organizations
       values ($1, $2, now(), 5, 1, 0, 0, 0, 2, 1, 8, $3, $4) on conflict do nothing`,
      [scene.organizationId, decisionsTopic, JSON.stringify(partitions), JSON.stringify([record])]
    )
  }

  const path = '/v1/ingestion/ledger'

  test('is null before the first audit', async () => {
    expect((await scene.get(path)).body).toEqual({ ledger: null })
  })

  test('has the counts of the organization, compared with those of gateways', async () => {
    await store(true)
    const { body } = await scene.get(path, scene.tokenAs('viewer'))
    const [from, to, hoursFrom, hoursTo] = times
    expect(body).toEqual({
      ledger: {
        ...{ audited_at: from, window: { from, to }, exact: true, messages: 9, ...outcomeCounts },
        gateway: { from: hoursFrom, to: hoursTo, accepted: 7, messages: 8, difference: 1 },
        ...{ partitions, missing_records: [record] }
      }
    })
    expect(asked).toEqual([hour - 7 * hourMs, hour])
    scene.readUsage.outcomes = async () => null
    expect((await scene.get(path)).body).toMatchObject({ ledger: { gateway: null } })
  })

  test('shows nothing of another organization', async () => {
    await store(true)
    const { body } = await scene.get(path, scene.foreignToken)
    const none = { messages: 0, stored: 0, missing: 0, partitions: [], missing_records: [] }
    expect(body).toMatchObject({ ledger: none })
  })

  test('is null for an organization that the audit could not count', async () => {
    await store(false)
    expect((await scene.get(path, scene.foreignToken)).body).toEqual({ ledger: null })
    expect((await scene.get(path)).body).toMatchObject({ ledger: { messages: 9 } })
  })
})
