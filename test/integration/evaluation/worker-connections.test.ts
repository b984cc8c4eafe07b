/** What runs of one connection have in common: its circuit, its limits, and what may be spent. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { noCall } from '../../../consumers/evaluation/worker/judge-outcome.ts'
import type { JudgeOutcome } from '../../../consumers/evaluation/worker/judge-outcome.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { aReport, createScene, failed, scored } from './worker-scene.ts'
import type { Scene } from './worker-scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await createScene()
})

async function allWith(status: string): Promise<boolean> {
  const rows = await scene.database.query(`select 1 from open_runs where status <> $1`, [status])
  return rows.length === 0
}

async function attemptsIn(table: string): Promise<number> {
  const [row] = await scene.database.query<{ n: number }>(
    `select coalesce(sum(attempts), 0)::integer as n from ${table}`
  )
  return row?.n ?? -1
}

describe('a circuit', () => {
  const refusal = failed('provider_auth', { blocks: true, http_status: 401 })

  test('opens with a refusal: its runs wait, nobody calls, and no attempt burns', async () => {
    let calls = 0
    const [key] = await scene.addRuns(20)
    scene.start(() => {
      calls += 1
      return Promise.resolve(refusal)
    })
    await waitUntil('all are blocked', () => allWith('blocked'))
    expect(await scene.circuit()).toMatchObject({ state: 'open', reason: 'provider_auth' })
    // Those that were under way at once: no more than the worker runs at once.
    expect(calls).toBeLessThanOrEqual(8)
    expect(await attemptsIn('open_runs')).toBe(0)
    expect(key && (await scene.row(key))?.status_reason).toBe('provider_auth')
    const late = await scene.addRun()
    const before = calls
    await waitUntil('a late one waits as well', async () => {
      return (await scene.row(late))?.status === 'blocked'
    })
    expect(calls).toBe(before)
  })

  test('lets one through when its time has come, and all after its success', async () => {
    let answer: JudgeOutcome | null = refusal
    let calls = 0
    const keys = await scene.addRuns(30)
    scene.start((request) => {
      calls += 1
      return Promise.resolve(answer ?? scored(request))
    })
    await waitUntil('all are blocked', () => allWith('blocked'))
    const before = calls
    await probeNow()
    await waitUntil('the probe failed', async () => (await scene.circuit())?.['probes'] === 1)
    expect(calls).toBe(before + 1)
    const [first] = await scene.database.query<{ wait: number }>(
      `select extract(epoch from probe_at - now())::double precision as wait
         from connection_circuits`
    )
    // Twice the five seconds of the first.
    expect(first?.wait).toBeGreaterThan(7)
    expect(await attemptsIn('open_runs')).toBe(0)
    answer = null
    await probeNow()
    const runs = await scene.allEnded(keys)
    expect(runs.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(
      true
    )
    expect(await scene.circuit()).toMatchObject({ state: 'closed', reason: null, probes: 0 })
    expect(calls).toBe(before + 1 + keys.length)
  })

  test('opens after five failures in a row, of whichever runs', async () => {
    let calls = 0
    await scene.addRuns(5)
    scene.start(
      () => {
        calls += 1
        return Promise.resolve(failed('provider_unreachable'))
      },
      { concurrencyMax: 1 }
    )
    await waitUntil('all are blocked', () => allWith('blocked'), 30_000)
    expect(calls).toBe(5)
    expect(await scene.circuit()).toMatchObject({ state: 'open', reason: 'provider_unreachable' })
    // The one that opened it did not burn its attempt.
    expect(await attemptsIn('open_runs')).toBe(4)
  })

  test('of one connection holds up no other', async () => {
    const other = await scene.addConnection()
    await scene.addRuns(3)
    scene.start((request) =>
      Promise.resolve(request.connection.connection_id === other ? scored(request) : refusal)
    )
    await waitUntil('all are blocked', () => allWith('blocked'))
    const key = await scene.addRun({ connection_id: other })
    expect(await scene.ended(key)).toMatchObject({ status: 'succeeded' })
  })

  test('that somebody closed, since he mended the connection, lets its runs go on', async () => {
    let isMended = false
    const keys = await scene.addRuns(3)
    scene.start((request) => Promise.resolve(isMended ? scored(request) : refusal))
    await waitUntil('all are blocked', () => allWith('blocked'))
    isMended = true
    await scene.database.query(`update connection_circuits set state = 'closed'`)
    await scene.allEnded(keys)
  })

  async function probeNow(): Promise<void> {
    await scene.database.query(`update connection_circuits set probe_at = now()`)
  }
})

test('a provider that asks for patience gets it from all runs, and no attempt burns', async () => {
  let calls = 0
  const keys = await scene.addRuns(12)
  const began = Date.now()
  const times: number[] = []
  scene.start((request) => {
    calls += 1
    times.push(Date.now())
    const isEarly = Date.now() - began < 1500
    const patience = failed('provider_rate_limited', { retryAfterMs: 3000, http_status: 429 })
    return Promise.resolve(isEarly ? patience : scored(request))
  })
  const runs = await scene.allEnded(keys, 30_000)
  expect(runs.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(true)
  const [first = 0] = times
  const between = times.filter((time) => time > first + 1500 && time < first + 2500)
  expect(between).toEqual([])
  const attempts = await scene.database.query<{ counted: boolean }>(
    `select counted from run_attempts`
  )
  expect(attempts).toHaveLength(calls)
  expect(attempts.filter(({ counted }) => counted)).toHaveLength(keys.length)
})

test('a connection is never called more often at once than it says', async () => {
  const connection_id = await scene.addConnection({ concurrency_max: 2 })
  const keys = await scene.addRuns(12, { connection_id })
  let underWay = 0
  let most = 0
  const judge: Parameters<Scene['start']>[0] = async (request) => {
    underWay += 1
    most = Math.max(most, underWay)
    // Long enough for the others to be claimed, were they let through.
    await scene.database.query('select pg_sleep(0.03)')
    underWay -= 1
    return scored(request)
  }
  scene.start(judge, { leaseMs: 20_000 })
  scene.start(judge, { leaseMs: 20_000 })
  await scene.allEnded(keys, 40_000)
  expect(most).toBe(2)
})

test('runs of a connection that was deleted are canceled', async () => {
  await scene.database.query(`update evaluation_connections set deleted_at = now()`)
  const key = await scene.addRun()
  scene.start(() => Promise.reject(new Error('called')))
  expect(await scene.ended(key)).toMatchObject({ status: 'canceled', status_reason: 'deleted' })
})

describe('a budget', () => {
  const budget = (terms: object): { budget: string } => ({
    budget: JSON.stringify({
      ...{ usd_per_day: null, calls_per_day: null, on_exhausted: 'skip', ...terms }
    })
  })

  test('of calls is kept exactly, and the others are skipped', async () => {
    let calls = 0
    const keys = await scene.addRuns(10, budget({ calls_per_day: 3 }))
    const judge: Parameters<Scene['start']>[0] = (request) => {
      calls += 1
      return Promise.resolve(scored(request))
    }
    scene.start(judge, { leaseMs: 20_000 })
    scene.start(judge, { leaseMs: 20_000 })
    const runs = await scene.allEnded(keys)
    expect(calls).toBe(3)
    const skipped = runs.filter(({ status_reason }) => status_reason === 'budget_exhausted')
    expect(skipped.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array.from({ length: 7 }, () => ['skipped', 0])
    )
  })

  test('has still what no call was made with', async () => {
    const key = await scene.addRun()
    const result = { kind: 'skipped', status_reason: 'content_missing' } as const
    scene.start(() => Promise.resolve({ result, report: noCall }))
    expect(await scene.ended(key)).toMatchObject({ status: 'skipped' })
    expect(await scene.spend()).toMatchObject([{ calls: 0, unpriced_calls: 0 }])
  })

  test('tells of answers that do not say what they took', async () => {
    const key = await scene.addRun()
    const usage = { input_tokens: null, output_tokens: null, cost_nano_usd: null }
    scene.start((request) =>
      Promise.resolve({ ...scored(request), report: { ...aReport, ...usage } })
    )
    expect(await scene.ended(key)).toMatchObject({ status: 'succeeded', cost_nano_usd: null })
    expect(await scene.spend()).toMatchObject([{ calls: 1, nano_usd: 0, unpriced_calls: 1 }])
  })

  test('that is waited for is there again tomorrow', async () => {
    const key = await scene.addRun(budget({ calls_per_day: 0, on_exhausted: 'wait' }))
    scene.start(() => Promise.reject(new Error('called')))
    const row = await waitUntil('it waits', async () => {
      const found = await scene.row(key)
      return found?.status === 'retrying' && found
    })
    expect(row).toMatchObject({ status_reason: 'budget_exhausted', attempts: 0 })
    const tomorrow = new Date().setUTCHours(24, 0, 0, 0)
    expect(row.next_attempt_at.getTime()).toBeGreaterThanOrEqual(tomorrow)
    expect(row.next_attempt_at.getTime()).toBeLessThan(tomorrow + 61_000)
  })

  test.each([
    ['of a rule', { rule: 0.000_001 }],
    ['of the organization, for a day', { day: 1000 }],
    ['of the organization, for a month', { month: 1000 }]
  ])('%s, in money, is over once it is spent', async (_what, limits) => {
    const { rule, day, month } = { rule: null, day: null, month: null, ...limits }
    await scene.database.query(
      `insert into evaluation_budgets (organization_id, nano_usd_per_day, nano_usd_per_month)
       values ($1, $2, $3)`,
      [scene.organization_id, day, month]
    )
    scene.start((request) => Promise.resolve(scored(request)))
    const terms = rule === null ? {} : budget({ usd_per_day: rule })
    const paid = await scene.addRun(terms)
    expect(await scene.ended(paid)).toMatchObject({ status: 'succeeded' })
    const unpaid = await scene.addRun(terms)
    expect(await scene.ended(unpaid)).toMatchObject({
      ...{ status: 'skipped', status_reason: 'budget_exhausted' }
    })
  })
})
