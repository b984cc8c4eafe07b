/** Tests `sluice erase` with running storage: erased decisions are gone and do not come back. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { addErase } from '../../../cli/program/add-erase.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { erasuresLockKey } from '../../../core/decision/erasure.ts'
import type { Application } from '../../support/application.ts'
import { aDecision, aRun, anEvaluation } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import type { Tenant } from '../../support/installation.ts'
import { runCommand } from '../../support/run-command.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const record = ['--execute', '--reason', 'request 17', '--by', 'Ana']
let scene: Scene
let storage: Application
let tenant: Tenant

beforeAll(async () => {
  scene = await createScene()
  storage = await scene.sluice.start('storage')
})

beforeEach(async () => void (tenant = await scene.sluice.createTenant()))

/** Builds a decision that was received just now. */
function decided(overrides: Parameters<typeof aDecision>[0] = {}) {
  const { organization_id } = tenant
  return aDecision({ organization_id, received_at: Date.now(), ...overrides })
}

function evaluated(decision: ReturnType<typeof decided>, received_at = decision.received_at) {
  const { organization_id, decision_id, agent_id, session_id } = decision
  const identity = { organization_id, decision_id, agent_id, session_id, received_at }
  return anEvaluation({ ...identity, later_runs: [aRun(), aRun()] })
}

/** Runs the command in the test process. Only the test that kills a job starts another process. */
async function erase(...args: string[]): Promise<string> {
  return await eraseOf(tenant.organization_id, ...args)
}

async function eraseOf(organization: string, ...given: string[]): Promise<string> {
  const args = ['erase', '--organization', organization, ...given]
  return (await runCommand(addErase, { args, environment: scene.sluice.environment })).output
}

/** Returns the IDs of the remaining decisions, and the number of remaining runs and scores. */
async function left() {
  const { organization_id } = tenant
  return {
    decisions: await scene.storedIds(organization_id),
    runs: await scene.countOf('evaluation_runs', organization_id),
    scores: await scene.countOf('scores', organization_id)
  }
}

const nothing = { decisions: [], runs: 0, scores: 0 }

/** Runs `work` while storage is stopped, because storage would carry out part of the erasure. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  await storage.stop()
  try {
    return await work()
  } finally {
    storage = await scene.sluice.start('storage')
  }
}

async function storeAll(decisions: readonly ReturnType<typeof decided>[]): Promise<void> {
  await scene.sendDecisions(...decisions)
  await scene.sendEvaluations(...decisions.map((decision) => evaluated(decision)))
  await scene.settled()
}

/**
 * Inserts a judge run in the same way as the evaluation group: planned, pending, with one attempt.
 */
async function planJudge(
  { organization_id, decision_id }: Decision,
  runId: string = randomUUID()
): Promise<void> {
  const values = [organization_id, decision_id, runId]
  const { database } = scene.sluice
  await database.query(
    `insert into evaluation_plans (organization_id, decision_id, received_at, rule_set_version,
                                   outcomes, runs) values ($1, $2, now(), 0, '{planned}', 1)`,
    values.slice(0, 2)
  )
  await database.query(
    `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                            evaluator, evaluator_kind, evaluator_version, received_at, status,
                            expires_at)
     values ($1, $2, $3, 'r', 'r', 'e', 'e', 'llm_judge', 1, now(), 'scheduled',
             now() + interval '1 day')`,
    values
  )
  await database.query(
    `insert into run_attempts (organization_id, decision_id, run_id, attempt)
     values ($1, $2, $3, 1)`,
    values
  )
}

describe('a stored decision', () => {
  test('is erased with its plan and its pending runs', async () => {
    const [candidates, kept] = [decided({ session_id: 's' }), decided({ session_id: 't' })]
    await storeAll([candidates, kept])
    await planJudge(candidates)
    await planJudge(kept)
    await erase('--session', 's', ...record)
    for (const table of ['evaluation_plans', 'pending_runs', 'run_attempts']) {
      expect([table, await scene.countOf(table, tenant.organization_id)]).toEqual([table, 1])
    }
  })

  test('is only counted without --execute', async () => {
    await storeAll([decided({ session_id: 's' }), decided({ session_id: 's' })])
    const before = await left()
    const said = await erase('--session', 's', '--json')
    expect(JSON.parse(said)).toMatchObject({
      ...{ erased: false, decisions: 2, evaluation_runs: 4, scores: 4 }
    })
    expect(await left()).toEqual(before)
    expect(await erase('--session', 's')).toContain('nothing was erased')
    expect(await scene.countOf('erasures', tenant.organization_id)).toBe(0)
  })

  test.each([
    ['a session', ['--session', 'the subject']],
    ['an agent', ['--agent', 'the subject']],
    ['everything', ['--everything']]
  ])('is erased by %s with all its results, and nothing else', async (what, target) => {
    const candidates = [0, 1, 2].map(() =>
      decided({ agent_id: 'the subject', session_id: 'the subject' })
    )
    const kept = what === 'everything' ? [] : [decided({ session_id: null, agent_id: 'other' })]
    const foreign = aDecision({ session_id: 'the subject', agent_id: 'the subject' })
    await storeAll([...candidates, ...kept])
    await scene.sendDecisions(foreign)
    await scene.settled()
    const said = JSON.parse(await erase(...target, ...record, '--json')) as Record<string, unknown>
    expect(said).toMatchObject({ decisions: 3, evaluation_runs: 6, scores: 6 })
    expect(said['finished_at']).not.toBeNull()
    expect(await left()).toEqual({
      decisions: kept.map(({ decision_id }) => decision_id),
      runs: 2 * kept.length,
      scores: 2 * kept.length
    })
    expect(await scene.storedIds(foreign.organization_id)).toEqual([foreign.decision_id])
    expect(await findSumDifferences(scene.sluice.database)).toEqual([])
    // Simulates a replay of the topic.
    await storeAll([...candidates, ...kept])
    expect((await left()).decisions).toEqual(kept.map(({ decision_id }) => decision_id))
    expect(await findSumDifferences(scene.sluice.database)).toEqual([])
  })

  test('leaves only a tombstone without a fingerprint', async () => {
    const [candidates, kept] = [decided(), decided()]
    await storeAll([candidates, kept])
    await erase('--decision', candidates.decision_id, ...record)
    expect(await left()).toEqual({ decisions: [kept.decision_id], runs: 2, scores: 2 })
    const rows = await scene.sluice.database.query(
      `select length(fingerprint) as length, erased_at is not null as is_erased
         from decision_ids where decision_id = $1`,
      [candidates.decision_id]
    )
    expect(rows).toEqual([{ length: 0, is_erased: true }])
    await scene.sendDecisions({ ...candidates, output: 'another, much later', received_at: 9e12 })
    await scene.settled()
    expect((await left()).decisions).toEqual([kept.decision_id])
    expect(await storage.metrics()).toMatch(/outcome="erased"[^}]*\} [1-9]/)
  })

  test('is erased in several transactions if there are many', async () => {
    const session_id = randomUUID()
    const candidates = Array.from({ length: 1234 }, () => decided({ session_id }))
    await scene.sendDecisions(...candidates)
    await scene.settled()
    const said = await alone(() => erase('--session', session_id, ...record))
    expect(said.match(/500 decisions/g)).toHaveLength(2)
    expect(said).toContain('1234 decisions')
    expect(await left()).toEqual(nothing)
    expect(await scene.countOf('decision_hours', tenant.organization_id)).toBe(0)
  })
})

describe('a decision on its way', () => {
  test('is not stored if its session is erased; new decisions of the session are', async () => {
    const candidates = decided({ session_id: 's' })
    await erase('--session', 's', ...record)
    const fresh = decided({ session_id: 's', received_at: Date.now() + 1000 })
    await storeAll([candidates, fresh])
    expect(await left()).toEqual({ decisions: [fresh.decision_id], runs: 2, scores: 2 })
    expect(await findSumDifferences(scene.sluice.database)).toEqual([])
  })

  test('gets a tombstone if its id is unknown, so that it is never stored', async () => {
    const candidates = decided()
    await erase('--decision', candidates.decision_id, ...record)
    await storeAll([candidates])
    expect(await left()).toEqual(nothing)
  })

  test('leaves no run that was inserted in the meantime', async () => {
    const candidates = decided()
    await storeAll([candidates])
    await erase('--decision', candidates.decision_id, ...record)
    const run = aRun()
    await planJudge(candidates, run.run_id)
    await scene.sendEvaluations({ ...evaluated(candidates), later_runs: [run] })
    await scene.settled()
    expect(await scene.countOf('pending_runs', tenant.organization_id)).toBe(0)
    expect(await left()).toEqual(nothing)
  })

  test('loses its earlier evaluations when it proves to be erased', async () => {
    const candidates = decided({ session_id: 's' })
    await scene.sendEvaluations(evaluated(candidates))
    await scene.settled()
    expect((await left()).runs).toBe(2)
    await erase('--session', 's', ...record)
    await scene.sendDecisions(candidates)
    await scene.settled()
    expect(await left()).toEqual(nothing)
  })

  test.each([
    ['the decision', (id: string) => ['--decision', id]],
    ['the organization', () => ['--everything']]
  ])('loses evaluations without a decision with %s', async (_what, target) => {
    const never = decided()
    await scene.sendEvaluations(evaluated(never))
    await scene.settled()
    await erase(...target(never.decision_id), ...record)
    expect(await left()).toEqual(nothing)
    await scene.sendEvaluations(evaluated(never), evaluated(never, Date.now() + 60_000))
    await scene.settled()
    expect(await left()).toEqual(nothing)
  })
})

describe('the job', () => {
  test.each([
    ['the same command', ['--session', 's', ...record]],
    ['--resume', ['--resume']]
  ])('is completed by %s after a kill', async (_what, again) => {
    const from = Date.now() - 10_000
    const candidates = Array.from({ length: 1100 }, (_, at) =>
      decided({ session_id: 's', received_at: from + at })
    )
    await scene.sendDecisions(...candidates)
    await scene.settled()
    await alone(() => killAndGoOn(candidates.at(-1)?.decision_id ?? '', again))
  })

  /** Kills an erasure in its third transaction and completes it with the arguments `again`. */
  async function killAndGoOn(lastId: string, again: readonly string[]): Promise<void> {
    const unlock = await lock(`select from decisions where decision_id = '${lastId}' for update`)
    const args = ['cli/sluice.ts', 'erase', '--organization', tenant.organization_id]
    const child = spawn(process.execPath, [...args, '--session', 's', ...record], {
      env: scene.sluice.environment,
      stdio: 'ignore'
    })
    onEnd(() => Promise.resolve(child.kill('SIGKILL')))
    const count = (): Promise<number> => scene.countOf('decisions', tenant.organization_id)
    await waitUntil('two transactions are done', async () => (await count()) === 100)
    child.kill('SIGKILL')
    await unlock()
    expect(await erase('--list')).toContain('1000 decisions, 0 runs and 0 scores erased, unfinish')
    await erase(...again)
    expect(await left()).toEqual(nothing)
    expect(await scene.countOf('decision_hours', tenant.organization_id)).toBe(0)
    const rows = JSON.parse(await erase('--list', '--json')) as Record<string, unknown>[]
    expect(rows).toMatchObject([{ decisions: 1100, finished_at: expect.any(String) as unknown }])
  }

  /** Runs a locking statement in a transaction. Returns a function that releases the locks. */
  async function lock(statement: string): Promise<() => Promise<unknown>> {
    const client = new pg.Client({ connectionString: scene.sluice.database.url })
    await client.connect()
    onEnd(() => client.end())
    await client.query('begin')
    await client.query(statement)
    return () => client.query('rollback')
  }

  test('waits for transactions of storage', async () => {
    const { database } = scene.sluice
    const unlock = await lock(`select pg_advisory_xact_lock_shared(${erasuresLockKey})`)
    const erasing = erase('--session', 's', ...record)
    await waitUntil('the erasure waits', async () => {
      const rows = await database.query(
        `select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
      )
      return rows.length > 0
    })
    expect(await scene.countOf('erasures', tenant.organization_id)).toBe(0)
    await unlock()
    await erasing
    expect(await scene.countOf('erasures', tenant.organization_id)).toBe(1)
  })

  test('erases decisions that arrived before the same command continues it', async () => {
    await erase('--session', 's', ...record)
    await storeAll([decided({ session_id: 's' })])
    await alone(async () => {
      await scene.sluice.database.query(
        `update erasures set finished_at = null, received_until = received_until - interval '1 day'
          where organization_id = '${tenant.organization_id}'`
      )
      await erase('--session', 's', ...record)
    })
    expect(await left()).toEqual(nothing)
    expect(JSON.parse(await erase('--list', '--json'))).toHaveLength(1)
  })

  test('is recorded with its author and reason', async () => {
    await erase('--agent', 'the\u001bagent', ...record)
    const said = await erase('--list')
    expect(said).toContain('agent "the\\u001bagent"')
    expect(said).toContain('by "Ana"')
    expect(said).toContain('because "request 17"')
    expect(said).toMatch(/0 decisions, 0 runs and 0 scores erased, finished 2/)
    expect(JSON.parse(await erase('--list', '--json'))).toHaveLength(1)
  })

  test('rejects an unknown organization', async () => {
    const erasing = eraseOf(randomUUID(), '--everything', ...record)
    await expect(erasing).rejects.toThrow('there is no organization')
  })
})

test('rejects a list that contains an erasure with a future end', async () => {
  const { organization_id } = tenant
  const until = (ms: number): string => new Date(Date.now() + ms).toISOString()
  const erasure = (received_until: string) => ({
    ...{ erasure_id: randomUUID(), organization_id, scope: 'organization', subject: null },
    ...{ received_until, requested_at: until(0), requested_by: 'Ana', reason: null }
  })
  const list = [erasure(until(0)), erasure(until(86_400_000))]
  const path = join(mkdtempSync(join(tmpdir(), 'sluice-list-')), 'erasures.json')
  onEnd(async () => rmSync(dirname(path), { recursive: true }))
  writeFileSync(path, JSON.stringify(list))
  const repeated = scene.sluice.sluice('erase', '--repeat', path)
  await expect(repeated).rejects.toThrow('1 erasures have a received_until in the future')
  expect(await scene.countOf('erasures', organization_id)).toBe(0)
})
