/** Tests what delays or ends runs: circuit breakers, limits of connections, and budgets. */
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
  const rows = await scene.database.query(`select 1 from pending_runs where status <> $1`, [status])
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

  test('opens after a rejected API key: its runs wait without calls or attempts', async () => {
    let calls = 0
    const [key] = await scene.addRuns(20)
    scene.start(() => {
      calls += 1
      return Promise.resolve(refusal)
    })
    await waitUntil('all are blocked', () => allWith('blocked'))
    expect(await scene.circuit()).toMatchObject({ state: 'open', reason: 'provider_auth' })
    // A worker makes up to 8 concurrent calls. No call starts after the circuit has opened.
    expect(calls).toBeLessThanOrEqual(8)
    expect(await attemptsIn('pending_runs')).toBe(0)
    expect(key && (await scene.row(key))?.status_reason).toBe('provider_auth')
    const late = await scene.addRun()
    const before = calls
    await waitUntil('a late one waits as well', async () => {
      return (await scene.row(late))?.status === 'blocked'
    })
    expect(calls).toBe(before)
  })

  test('admits one probe when it is due, and all runs after its success', async () => {
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
    // The wait has doubled from the initial five seconds.
    expect(first?.wait).toBeGreaterThan(7)
    expect(await attemptsIn('pending_runs')).toBe(0)
    answer = null
    await probeNow()
    const runs = await scene.allEnded(keys)
    expect(runs.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(
      true
    )
    expect(await scene.circuit()).toMatchObject({ state: 'closed', reason: null, probes: 0 })
    expect(calls).toBe(before + 1 + keys.length)
  })

  test('opens after five failures in a row, of any runs', async () => {
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
    // The failure that opened the circuit does not count as an attempt.
    expect(await attemptsIn('pending_runs')).toBe(4)
  })

  test('does not delay runs of other connections', async () => {
    const other = await scene.addConnection()
    await scene.addRuns(3)
    scene.start((request) =>
      Promise.resolve(request.connection.connection_id === other ? scored(request) : refusal)
    )
    await waitUntil('all are blocked', () => allWith('blocked'))
    const key = await scene.addRun({ connection_id: other })
    expect(await scene.ended(key)).toMatchObject({ status: 'succeeded' })
  })

  test('releases its runs when it is closed because the connection was fixed', async () => {
    let isMended = false
    const keys = await scene.addRuns(3)
    scene.start((request) => Promise.resolve(isMended ? scored(request) : refusal))
    await waitUntil('all are blocked', () => allWith('blocked'))
    isMended = true
    await scene.database.query(`update connection_circuits set state = 'closed'`)
    await scene.allEnded(keys)
  })

  test('does not open when a call fails after its connection was deleted', async () => {
    const answer = Promise.withResolvers<JudgeOutcome>()
    const key = await scene.addRun()
    let calls = 0
    scene.start(() => {
      calls += 1
      return answer.promise
    })
    await waitUntil('the call has begun', () => calls === 1)
    await scene.database.query(`update evaluation_connections set deleted_at = now()`)
    answer.resolve(refusal)
    expect(await scene.ended(key)).toMatchObject({ status: 'canceled', status_reason: 'deleted' })
    expect(await scene.circuit()).toMatchObject({ state: 'closed' })
  })

  test('is counted as open while a run is blocked or probes', async () => {
    await addOpen({ status: 'blocked' })
    await addOpen({ status: 'running', lease_expires_at: inAnHour })
    await addOpen({ status: 'retrying', next_attempt_at: inAnHour })
    await addOpen(null)
    const deleted = await addOpen({ status: 'blocked' })
    await scene.database.query(
      `update evaluation_connections set deleted_at = now() where connection_id = $1`,
      [deleted]
    )
    const { metricsText } = scene.start(() => Promise.reject(new Error('called')))
    await waitUntil('two are counted', async () =>
      /^sluice_connection_circuits_open 2$/m.test(await metricsText())
    )
  })

  const inAnHour = new Date(Date.now() + 3_600_000)

  /** Adds a connection with an open circuit that is never due to be probed, and one of its runs. */
  async function addOpen(run: Record<string, unknown> | null): Promise<string> {
    const connection_id = await scene.addConnection()
    await scene.database.query(
      `insert into connection_circuits (organization_id, connection_id, state, reason)
       values ($1, $2, 'open', 'provider_auth')`,
      [scene.organization_id, connection_id]
    )
    if (run !== null) await scene.addRun({ connection_id, ...run })
    return connection_id
  }

  async function probeNow(): Promise<void> {
    await scene.database.query(`update connection_circuits set probe_at = now()`)
  }
})

test('makes all runs wait for a provider that asks for it, without using attempts', async () => {
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

test('never exceeds the concurrency limit of a connection', async () => {
  const connection_id = await scene.addConnection({ concurrency_max: 2 })
  const keys = await scene.addRuns(12, { connection_id })
  let underWay = 0
  let most = 0
  const judge: Parameters<Scene['start']>[0] = async (request) => {
    underWay += 1
    most = Math.max(most, underWay)
    // Waits long enough for a worker to claim other runs if the limit admitted them.
    await scene.database.query('select pg_sleep(0.03)')
    underWay -= 1
    return scored(request)
  }
  scene.start(judge, { leaseMs: 20_000 })
  scene.start(judge, { leaseMs: 20_000 })
  await scene.allEnded(keys, 40_000)
  expect(most).toBe(2)
})

test('a full connection with many due runs does not delay other connections', async () => {
  const connection_id = await scene.addConnection({ concurrency_max: 1 })
  await scene.addRuns(200, { connection_id })
  let slow = 0
  scene.start(
    (request) => {
      if (request.connection.connection_id !== connection_id)
        return Promise.resolve(scored(request))
      slow += 1
      return new Promise(() => {})
    },
    { drainMs: 0 }
  )
  await waitUntil('it is full', () => slow === 1)
  await scene.allEnded(await scene.addRuns(10))
  expect(slow).toBe(1)
})

test('fills a free place of a full connection at once', async () => {
  const connection_id = await scene.addConnection({ concurrency_max: 1 })
  const keys = await scene.addRuns(20, { connection_id })
  const overrides = { leaseMs: 20_000, idleMs: 3_600_000 }
  scene.start((request) => Promise.resolve(scored(request)), overrides)
  // If the free place were not filled at once, the next search for due runs would be in an hour.
  await scene.allEnded(keys)
})

test('cancels the runs of a deleted connection', async () => {
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

  test('stops at exactly its number of calls, and skips the other runs', async () => {
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

  test('is not spent by an attempt without a call', async () => {
    const key = await scene.addRun()
    const result = { kind: 'skipped', status_reason: 'content_missing' } as const
    scene.start(() => Promise.resolve({ result, report: noCall }))
    expect(await scene.ended(key)).toMatchObject({ status: 'skipped' })
    expect(await scene.spend()).toMatchObject([{ calls: 0, unpriced_calls: 0 }])
  })

  test('counts responses without usage as unpriced', async () => {
    const key = await scene.addRun()
    const usage = { input_tokens: null, output_tokens: null, cost_nano_usd: null }
    scene.start((request) =>
      Promise.resolve({ ...scored(request), report: { ...aReport, ...usage } })
    )
    expect(await scene.ended(key)).toMatchObject({ status: 'succeeded', cost_nano_usd: null })
    expect(await scene.spend()).toMatchObject([{ calls: 1, nano_usd: 0, unpriced_calls: 1 }])
  })

  test('makes a run wait until the next day if configured', async () => {
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
  ])('%s in dollars ends once it is spent', async (_what, limits) => {
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
