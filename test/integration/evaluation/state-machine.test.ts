/** Tests that every run ends exactly once during a random but reproducible sequence of events, on a
 * real Postgres.
 */
import { expect, test } from '@jest/globals'
import type {
  JudgeOutcome,
  JudgeRequest
} from '../../../consumers/evaluation/worker/judge-outcome.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene, failed, scored } from './worker-scene.ts'
import type { Scene, TestWorker } from './worker-scene.ts'

/** Implements Mulberry32, so that the same seed yields the same sequence of events. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const never = new Promise<JudgeOutcome>(() => {})

/**
 * Creates a judge that succeeds or fails in one of several ways, each with its own probability.
 */
function createJudge(random: () => number) {
  const outcomes: [number, (request: JudgeRequest) => Promise<JudgeOutcome>][] = [
    [0.5, (request) => Promise.resolve(scored(request))],
    [0.62, () => Promise.resolve(failed('provider_error', { http_status: 500 }))],
    [0.7, () => Promise.resolve(failed('provider_rate_limited', { retryAfterMs: 200 }))],
    [0.74, () => Promise.resolve(failed('provider_auth', { blocks: true, http_status: 401 }))],
    [0.82, () => Promise.resolve(failed('invalid_result', { retryable: false }))],
    [0.88, () => Promise.reject(new Error('a bug'))],
    [0.94, () => never],
    [1, (request) => Promise.resolve(scored(request))]
  ]
  const calls: { readonly run_id: string; readonly isAfterEnd: boolean }[] = []
  return {
    calls,
    judge: (ended: ReadonlySet<string>) => (request: JudgeRequest) => {
      calls.push({ run_id: request.run_id, isAfterEnd: ended.has(request.run_id) })
      const drawn = random()
      const [, outcomeOf] = outcomes.find(([share]) => drawn <= share) ?? []
      return outcomeOf === undefined ? never : outcomeOf(request)
    }
  }
}

interface Storm {
  readonly scene: Scene
  readonly start: () => TestWorker
  workers: TestWorker[]
}

/** Events that can happen at any moment, and repeatedly. */
const events: readonly ((storm: Storm) => Promise<unknown>)[] = [
  async (storm) => {
    const victim = storm.workers.shift()
    await victim?.kill()
    storm.workers.push(storm.start())
  },
  async (storm) => {
    const leaving = storm.workers.shift()
    await leaving?.stop()
    storm.workers.push(storm.start())
  },
  // Expires leases while they are held.
  ({ scene }) =>
    scene.database.query(
      `update pending_runs set lease_expires_at = now()
        where status <> 'finished' and random() < 0.3`
    ),
  ({ scene }) =>
    scene.database.query(
      `update pending_runs set cancel_requested_at = now(), cancel_reason = 'user'
        where status <> 'finished' and random() < 0.03`
    ),
  ({ scene }) =>
    scene.database.query(
      `update pending_runs set expires_at = now() where status <> 'finished' and random() < 0.03`
    ),
  // Lets time pass: waiting runs become due, and connections can be probed.
  ({ scene }) =>
    scene.database.query(
      `with due as (update pending_runs set next_attempt_at = now()
                     where status = 'retrying' returning 1)
       update connection_circuits set probe_at = now(), paused_until = null`
    )
]

test.each([1, 2, 3])(
  'ends every run once in storm %i, and calls no ended run',
  async (seed) => {
    const random = createRandom(seed)
    const scene = await createScene()
    const { calls, judge } = createJudge(random)
    const ended = new Set<string>()
    const watch = (): void => {
      for (const { later_runs } of scene.published) {
        for (const { run_id } of later_runs) ended.add(run_id)
      }
    }
    const keys = await scene.addRuns(80, { max_attempts: 5 })
    const storm: Storm = {
      ...{ scene, workers: [] },
      start: () => scene.start(judge(ended), { drainMs: 0, leaseMs: 1500, concurrencyMax: 6 })
    }
    storm.workers = [storm.start(), storm.start()]
    const allEnded = (): boolean => {
      watch()
      return ended.size === keys.length
    }
    await waitUntil(
      'every run has ended',
      async () => {
        watch()
        const event = events[Math.floor(random() * events.length)]
        await event?.(storm)
        await scene.database.query('select pg_sleep(0.15)')
        return allEnded()
      },
      100_000
    )
    for (const worker of storm.workers) await worker.stop()
    // `allEnded` throws if a run was published with two different results.
    const runs = await scene.allEnded(keys)
    expect(calls.filter(({ isAfterEnd }) => isAfterEnd)).toEqual([])
    for (const [index, run] of runs.entries()) {
      const attempts = await scene.attemptsOf(keys[index] as RunKey)
      // Every call has a recorded attempt. An attempt has no call if its worker was killed between
      // the two.
      const called = calls.filter(({ run_id }) => run_id === run.run_id).length
      expect(attempts.length).toBeGreaterThanOrEqual(called)
      expect(run.attempts).toBeLessThanOrEqual(5)
      expect(run.scores).toHaveLength(run.status === 'succeeded' ? 1 : 0)
    }
    const states = new Set(runs.map(({ status }) => status))
    expect(states.size).toBeGreaterThan(2)
  },
  150_000
)
