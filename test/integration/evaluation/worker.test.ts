/** Tests the worker on a real Postgres: the path of a run from its due time to its end. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { beginAttempt } from '../../../consumers/evaluation/worker/attempts.ts'
import type { JudgeRequest } from '../../../consumers/evaluation/worker/judge-outcome.ts'
import { deleteEvaluations } from '../../../store/delete-evaluations.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { aVersion, createScene, failed, scored } from './worker-scene.ts'
import type { Scene } from './worker-scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await createScene()
})

function counting(outcomeOf = scored) {
  const calls: JudgeRequest[] = []
  return {
    calls,
    judge: (request: JudgeRequest) => {
      calls.push(request)
      return Promise.resolve(outcomeOf(request))
    }
  }
}

test('judges a due run once, with score, attempt and cost', async () => {
  const { judge, calls } = counting()
  const key = await scene.addRun()
  const worker = scene.start(judge)
  const run = await scene.ended(key)
  expect(run).toMatchObject({
    ...{ status: 'succeeded', status_reason: null, attempts: 1, generation: 0 },
    ...{ evaluator: 'quality', rule: 'quality of all', config_hash: aVersion.config_hash },
    ...{ cost_nano_usd: 2000, input_tokens: 100, model: 'small', model_reported: 'small-1' }
  })
  expect(run.scores).toHaveLength(1)
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatchObject({
    run_id: key.run_id,
    version: aVersion,
    decision: { decision_id: key.decision_id, input: '1', output: 'yes' }
  })
  await waitUntil('it is marked', async () => (await scene.row(key))?.published_at)
  const [attempt, ...others] = await scene.attemptsOf(key)
  expect(attempt).toMatchObject({ attempt: 1, counted: true, outcome: 'scored', nano_usd: 2000 })
  expect(attempt?.['finished_at']).toBeInstanceOf(Date)
  expect(others).toEqual([])
  const spend = await scene.database.query(
    `select calls, input_tokens, output_tokens, nano_usd, unpriced_calls from evaluation_spend`
  )
  expect(spend).toEqual([
    { calls: 1, input_tokens: 100, output_tokens: 10, nano_usd: 2000, unpriced_calls: 0 }
  ])
  expect(await worker.metricsText()).toContain(
    'sluice_evaluation_runs_total{kind="llm_judge",status="succeeded",reason=""} 1'
  )
})

test('never calls an ended run, even if it is not stored when its lease expires', async () => {
  const { judge, calls } = counting()
  const key = await scene.addRun()
  scene.start(judge)
  await scene.ended(key)
  await scene.database.query(`update pending_runs set lease_expires_at = now()`)
  await scene.ended(await scene.addRun())
  expect(calls.filter(({ run_id }) => run_id === key.run_id)).toHaveLength(1)
  expect(await scene.attemptsOf(key)).toHaveLength(1)
})

test('calls each run once when several workers compete', async () => {
  const { judge, calls } = counting()
  const patient = { leaseMs: 20_000 }
  scene.start(judge, patient)
  scene.start(judge, patient)
  scene.start(judge, patient)
  const keys = await scene.addRuns(60)
  const runs = await scene.allEnded(keys)
  expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
  expect(calls).toHaveLength(keys.length)
  expect(new Set(calls.map(({ run_id }) => run_id)).size).toBe(keys.length)
})

test('a run that can never be claimed does not delay others, and is tried again', async () => {
  let claims = 0
  const decision_id = await scene.addDecision({ metadata: '"unreadable"' })
  const unreadable = await scene.addRun({ decision_id })
  scene.start((request) => Promise.resolve(scored(request)), {
    concurrencyMax: 1,
    isOwnCall: ({ metadata }) => {
      if (metadata === null) return false
      claims += 1
      throw new Error('a bug')
    }
  })
  await waitUntil('its claim failed', () => claims > 0)
  await scene.allEnded(await scene.addRuns(10))
  await waitUntil('its claim failed again', () => claims > 1)
  expect(await scene.row(unreadable)).toMatchObject({ status: 'scheduled', attempts: 0 })
})

describe('a transient failure', () => {
  test('is retried, and counts as waiting meanwhile', async () => {
    let calls = 0
    const key = await scene.addRun()
    scene.start((request) =>
      Promise.resolve(
        ++calls < 3 ? failed('provider_error', { http_status: 500 }) : scored(request)
      )
    )
    await waitUntil('it waits', async () => (await scene.row(key))?.status === 'retrying')
    const run = await scene.ended(key)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 3 })
    const attempts = await scene.attemptsOf(key)
    expect(attempts.map(({ outcome, http_status }) => [outcome, http_status])).toEqual([
      ['failure', 500],
      ['failure', 500],
      ['scored', null]
    ])
  })

  test('ends as failed after the last attempt, and not before', async () => {
    const { judge, calls } = counting(() => failed('timeout'))
    const key = await scene.addRun({ max_attempts: 2 })
    scene.start(judge)
    const run = await scene.ended(key)
    expect(run).toMatchObject({ status: 'failed', status_reason: 'timeout', attempts: 2 })
    expect(run.error).toBe('said timeout')
    expect(calls).toHaveLength(2)
  })

  test('waits at least as long as the provider asks', async () => {
    const key = await scene.addRun()
    scene.start(() => Promise.resolve(failed('provider_error', { retryAfterMs: 60_000 })))
    const row = await waitUntil('it waits', async () => {
      const found = await scene.row(key)
      return found?.status === 'retrying' && found
    })
    expect(row.next_attempt_at.getTime()).toBeGreaterThan(Date.now() + 50_000)
  })
})

test('a permanent failure ends the run at once', async () => {
  const outcome = failed('out_of_range', { retryable: false })
  const { judge, calls } = counting(() => outcome)
  const key = await scene.addRun()
  scene.start(judge)
  expect(await scene.ended(key)).toMatchObject({ status: 'failed', status_reason: 'out_of_range' })
  expect(calls).toHaveLength(1)
})

test('a bug in a judge fails its run without quoting the decision', async () => {
  const key = await scene.addRun()
  scene.start(() => Promise.reject(new RangeError('the output was: secret')))
  const run = await scene.ended(key)
  expect(run).toMatchObject({ status: 'failed', status_reason: 'code_error' })
  expect(JSON.stringify(run)).not.toContain('secret')
})

test('invalid usage reported by a judge does not prevent the end of its run', async () => {
  const key = await scene.addRun()
  scene.start((request) => {
    const { result, report } = scored(request)
    const strange = { input_tokens: 0.5, output_tokens: 1e300, latency_ms: 1.7 }
    return Promise.resolve({ result, report: { ...report, ...strange, reply: 'a\0b' } })
  })
  const run = await scene.ended(key)
  expect(run).toMatchObject({ status: 'succeeded', input_tokens: null, output_tokens: null })
})

test('skips judge calls at execution too', async () => {
  const { judge, calls } = counting()
  const decision_id = await scene.addDecision({ metadata: '{"sluice.evaluation":true}' })
  const key = await scene.addRun({ decision_id })
  scene.start(judge)
  expect(await scene.ended(key)).toMatchObject({ status: 'skipped', status_reason: 'loop_guard' })
  expect(calls).toEqual([])
})

test('waits for a decision that is not stored yet, without using attempts', async () => {
  const { judge, calls } = counting()
  const decision_id = '01890000-0000-7000-8000-000000000001'
  const key = await scene.addRun({ decision_id })
  scene.start(judge)
  const first = await scene.row(key)
  await waitUntil('it was looked up', async () => {
    const row = await scene.row(key)
    return row !== undefined && row.next_attempt_at > (first?.next_attempt_at ?? new Date())
  })
  expect(calls).toEqual([])
  const identity = [scene.organization_id, decision_id]
  await scene.database.query(
    `with identity as (
       insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
       values ($1, $2, now(), '\\x00') returning *)
     insert into decisions (organization_id, decision_id, received_at, input, output)
     select organization_id, decision_id, received_at, '1', '""' from identity`,
    identity
  )
  expect(await scene.ended(key)).toMatchObject({ status: 'succeeded', attempts: 1 })
})

test('deletes the run of an erased decision without calling or publishing', async () => {
  const { judge, calls } = counting()
  const decision_id = await scene.addDecision()
  await scene.database.query(`update decision_ids set erased_at = now() where decision_id = $1`, [
    decision_id
  ])
  const key = await scene.addRun({ decision_id })
  scene.start(judge)
  await waitUntil('the run is gone', async () => (await scene.row(key)) === undefined)
  expect(calls).toEqual([])
  expect(scene.published).toEqual([])
})

test('an erasure during a claim leaves no attempt', async () => {
  const key = await scene.addRun()
  let erasing: Promise<unknown> | undefined
  await scene.postgres.transaction(async (claim) => {
    await claim.query(`update pending_runs set status = 'running' where run_id = $1`, [key.run_id])
    await beginAttempt(claim, key)
    erasing = scene.postgres.transaction((transaction) => deleteEvaluations(transaction, [key]))
    await waitUntil('the erasure waits for the claim', async () => {
      const waiting = await scene.database.query(
        `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      )
      return waiting.length > 0
    })
  })
  await erasing
  expect(await scene.row(key)).toBeUndefined()
  expect(await scene.attemptsOf(key)).toEqual([])
})

test('runs a replay of an evaluator that needs no network', async () => {
  const { judge, calls } = counting()
  const version = { ...aVersion, evaluator_id: 'not_refusal', kind: 'heuristic' as const }
  const key = await scene.addRun({
    ...{ evaluator_id: 'not_refusal', evaluator_kind: 'heuristic', connection_id: null },
    ...{ generation: 1, replay_of: '01890000-0000-7000-8000-000000000002' }
  })
  scene.start(judge, { builtIn: [version] })
  expect(await scene.ended(key)).toMatchObject({
    ...{ status: 'succeeded', generation: 1, replay_of: '01890000-0000-7000-8000-000000000002' },
    ...{ cost_nano_usd: null, provider: null }
  })
  expect(calls).toEqual([])
  expect(await scene.database.query(`select 1 from evaluation_spend`)).toEqual([])
})
