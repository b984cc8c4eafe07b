/** Tests runs that expire, are canceled or lose their worker, and the publication of ended runs.
 */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { JudgeOutcome } from '../../../consumers/evaluation/worker/judge-outcome.ts'
import { TransientError } from '../../../core/message-outcome.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import { aRun } from '../../support/builders.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene, scored } from './worker-scene.ts'
import type { Scene } from './worker-scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await createScene()
})

const never = (): Promise<JudgeOutcome> => new Promise(() => {})
const past = new Date(Date.now() - 1000)

test.each([
  ['a waiting run', {}],
  ['a run that waits for its connection', { status: 'blocked', status_reason: 'provider_auth' }],
  ['a score that was never pushed', { evaluator_kind: 'external', connection_id: null }],
  ['a run whose process was killed', { status: 'running', lease_expires_at: past }]
])('%s expires after its time to live', async (_what, overrides) => {
  const next_attempt_at = new Date(Date.now() + 60_000)
  const key = await scene.addRun({ ...{ expires_at: past, next_attempt_at, ...overrides } })
  scene.start(() => Promise.reject(new Error('called')))
  expect(await scene.ended(key)).toMatchObject({ status: 'expired', status_reason: 'ttl' })
})

test('a run that waits for a pushed score makes no call', async () => {
  const key = await scene.addRun({ evaluator_kind: 'external', connection_id: null })
  scene.start(() => Promise.reject(new Error('called')))
  const sentinel = await scene.addRun({ expires_at: past })
  await scene.ended(sentinel)
  expect(await scene.row(key)).toMatchObject({ status: 'scheduled', attempts: 0 })
})

describe('a canceled run', () => {
  async function cancel(reason = 'user'): Promise<void> {
    await scene.database.query(
      `update pending_runs set cancel_requested_at = now(), cancel_reason = $1`,
      [reason]
    )
  }

  test.each(['scheduled', 'retrying', 'blocked'])('ends while it is %s', async (status) => {
    const next_attempt_at = new Date(Date.now() + 60_000)
    const key = await scene.addRun({ status, next_attempt_at })
    await cancel('disabled')
    scene.start(() => Promise.reject(new Error('called')))
    expect(await scene.ended(key)).toMatchObject({ status: 'canceled', status_reason: 'disabled' })
  })

  test('ends with the answer of a call under way, whose cost is recorded', async () => {
    const answer = Promise.withResolvers<JudgeOutcome>()
    const called = Promise.withResolvers<void>()
    const key = await scene.addRun()
    scene.start(() => {
      called.resolve()
      return answer.promise
    })
    await called.promise
    await cancel()
    const sentinel = await scene.addRun({ expires_at: past })
    await scene.ended(sentinel)
    expect((await scene.row(key))?.status).toBe('running')
    answer.resolve(scored(key))
    const run = await scene.ended(key)
    expect(run).toMatchObject({ status: 'canceled', status_reason: 'user', scores: [] })
    expect(run.cost_nano_usd).toBe(2000)
  })
})

describe('a run that the gateway ended', () => {
  test('is published once, by any number of workers', async () => {
    const run_id = randomUUID()
    const result = JSON.stringify(aRun({ run_id, evaluator_kind: 'human' }))
    const key = await scene.addRun({ status: 'finished', result, finished_at: new Date() })
    await scene.database.query(`update pending_runs set run_id = $1`, [run_id])
    scene.start(() => Promise.reject(new Error('called')))
    scene.start(() => Promise.reject(new Error('called')))
    scene.start(() => Promise.reject(new Error('called')))
    await waitUntil('it is marked', async () => (await scene.row({ ...key, run_id }))?.published_at)
    expect(scene.published).toHaveLength(1)
    expect(scene.published[0]?.later_runs).toEqual([aRun(JSON.parse(result) as object)])
  })
})

test('a run that the topic always rejects does not delay others', async () => {
  const runs = [aRun({ run_id: randomUUID() }), aRun({ run_id: randomUUID() })]
  const keys = await Promise.all(
    runs.map((run) => {
      const result = JSON.stringify(run)
      return scene.addRun({ status: 'finished', result, finished_at: new Date() })
    })
  )
  scene.start(() => Promise.reject(new Error('called')), {
    publish: (evaluations) => {
      const isRefused = evaluations.some(({ later_runs: [run] }) => run?.run_id === runs[0]?.run_id)
      return isRefused ? Promise.reject(new TypeError('it is no run')) : Promise.resolve()
    }
  })
  const [refused, taken] = keys as [RunKey, RunKey]
  await waitUntil('it is marked', async () => (await scene.row(taken))?.published_at)
  expect((await scene.row(refused))?.published_at).toBeNull()
})

test('runs that end while Kafka is unavailable are published later, not called again', async () => {
  let isAway = true
  let calls = 0
  const key = await scene.addRun()
  scene.start(
    (request) => {
      calls += 1
      return Promise.resolve(scored(request))
    },
    {
      publish: (evaluations) => {
        if (isAway) return Promise.reject(new TransientError('Kafka is unavailable'))
        scene.published.push(...evaluations)
        return Promise.resolve()
      }
    }
  )
  await waitUntil('it ended', async () => (await scene.row(key))?.status === 'finished')
  isAway = false
  await scene.database.query(`update pending_runs set lease_expires_at = now()`)
  expect(await scene.ended(key)).toMatchObject({ status: 'succeeded' })
  expect(calls).toBe(1)
})

describe('a killed worker', () => {
  test('leaves a run whose call is repeated once and recorded', async () => {
    const called = Promise.withResolvers<void>()
    // The run of the killed worker does not count against the limit of its connection.
    const connection_id = await scene.addConnection({ concurrency_max: 1 })
    const key = await scene.addRun({ connection_id })
    const first = scene.start(
      () => {
        called.resolve()
        return never()
      },
      { drainMs: 0 }
    )
    await called.promise
    await first.kill()
    scene.start((request) => Promise.resolve(scored(request)))
    expect(await scene.ended(key)).toMatchObject({ status: 'succeeded', attempts: 2 })
    const attempts = await scene.attemptsOf(key)
    expect(attempts.map(({ finished_at }) => finished_at !== null)).toEqual([false, true])
    const [spend] = await scene.database.query(`select calls, unpriced_calls from evaluation_spend`)
    expect(spend).toEqual({ calls: 2, unpriced_calls: 1 })
  })

  test('finally fails a run if it is killed during every call', async () => {
    const key = await scene.addRun({ max_attempts: 2 })
    for (let life = 0; life < 2; life++) {
      const called = Promise.withResolvers<void>()
      const worker = scene.start(
        () => {
          called.resolve()
          return never()
        },
        { drainMs: 0 }
      )
      await called.promise
      await worker.kill()
    }
    scene.start(() => Promise.reject(new Error('called')))
    expect(await scene.ended(key)).toMatchObject({ status: 'failed', attempts: 2 })
  })

  test('does not end a run of another worker with a late response', async () => {
    const answer = Promise.withResolvers<JudgeOutcome>()
    const called = Promise.withResolvers<void>()
    const key = await scene.addRun()
    // This worker acts as if it were frozen: its leases expire, and then it continues.
    scene.start(
      () => {
        called.resolve()
        return answer.promise
      },
      { leaseMs: 60_000, concurrencyMax: 1 }
    )
    await called.promise
    await scene.database.query(`update pending_runs set lease_expires_at = now()`)
    scene.start((request) => Promise.resolve(scored(request)))
    const run = await scene.ended(key)
    answer.resolve({ ...scored(key), result: { kind: 'skipped', status_reason: 'not_applicable' } })
    await waitUntil('both attempts are on record', async () => {
      const attempts = await scene.attemptsOf(key)
      return attempts.length === 2 && attempts.every(({ finished_at }) => finished_at !== null)
    })
    expect(run.status).toBe('succeeded')
    expect(await scene.ended(key)).toEqual(run)
  })
})

test('a stopping worker waits for its calls, and releases the rest at once', async () => {
  const calls: AbortSignal[] = []
  const [quick, slow] = [await scene.addRun(), await scene.addRun()]
  const worker = scene.start(
    async ({ run_id, signal }) => {
      calls.push(signal)
      if (run_id === slow.run_id) return await never()
      await scene.database.query('select pg_sleep(0.3)')
      return scored({ run_id })
    },
    { drainMs: 1000, leaseMs: 60_000 }
  )
  await waitUntil('both are called', () => calls.length === 2)
  await worker.stop()
  expect(calls.every(({ aborted }) => aborted)).toBe(true)
  expect(await scene.ended(quick)).toMatchObject({ status: 'succeeded' })
  expect(await scene.row(slow)).toMatchObject({ status: 'scheduled', attempts: 0 })
  const [attempt] = await scene.attemptsOf(slow)
  expect(attempt).toMatchObject({ counted: false, status_reason: 'interrupted' })
  expect(await scene.spend()).toMatchObject([{ calls: 2, unpriced_calls: 1 }])
  scene.start((request) => Promise.resolve(scored(request)))
  expect(await scene.ended(slow)).toMatchObject({ status: 'succeeded', attempts: 1 })
})
