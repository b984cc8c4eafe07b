/** Tests limits that instances share through leases. Without Redis, each instance applies the whole
 * limit.
 */
import { afterEach, describe, expect, test } from '@jest/globals'
import { createRateLimiter } from '../../../../platform/rate-limit/rate-limiter.ts'
import type { RateLimiter, RateLimitState } from '../../../../platform/rate-limit/rate-limiter.ts'
import type { SharedWindows } from '../../../../platform/redis/shared-windows.ts'
import { FakeWindows } from '../../../support/fake-windows.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

const limit = { points: 3, windowSeconds: 60 }
const wide = { points: 100_000, windowSeconds: 60 }

let now = 1000
const clock = () => now

afterEach(() => {
  now = 1000
})

function limiterOn(windows: SharedWindows): { limiter: RateLimiter; metrics: RecordingMetrics } {
  const metrics = new RecordingMetrics()
  return { limiter: createRateLimiter({ windows, metrics, now: clock }), metrics }
}

function scene() {
  const windows = new FakeWindows(clock)
  return { windows, ...limiterOn(windows) }
}

/** Returns the result of a take that must be synchronous. */
function atOnce(state: RateLimitState | Promise<RateLimitState>): RateLimitState {
  if (state instanceof Promise) throw new Error('it waits')
  return state
}

const answered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Takes one point per millisecond for `ms` milliseconds, so that leases grow. Returns the number of
 * takes that had to wait.
 */
async function busy(limiter: RateLimiter, key: string, ms: number): Promise<number> {
  let waited = 0
  for (let past = 0; past < ms; past++) {
    now += 1
    const state = limiter.take(key, wide, 1)
    if (state instanceof Promise) waited += 1
    expect((await state).granted).toBe(1)
  }
  return waited
}

describe('while Redis is available', () => {
  test('instances count together', async () => {
    const windows = new FakeWindows(clock)
    const [first, second] = [limiterOn(windows), limiterOn(windows)]
    expect(await first.limiter.take('a', limit, 2)).toEqual({
      granted: 2,
      remaining: 1,
      resetMs: 60_000
    })
    expect(await second.limiter.take('a', limit, 2)).toMatchObject({ granted: 1, remaining: 0 })
    expect(await first.limiter.take('a', limit, 1)).toMatchObject({ granted: 0, remaining: 0 })
    expect(first.metrics.levelOf('sluice_rate_limit_local')).toBe(0)
  })

  test('each key and each limit counts separately', async () => {
    const { limiter } = scene()
    expect(await limiter.take('a', limit, 3)).toMatchObject({ granted: 3, remaining: 0 })
    expect(await limiter.take('b', limit, 3)).toMatchObject({ granted: 3 })
    expect(await limiter.take('c', { points: 100, windowSeconds: 1 }, 3)).toEqual({
      granted: 3,
      remaining: 97,
      resetMs: 1000
    })
  })

  test('a batch takes what fits', async () => {
    const { limiter } = scene()
    expect(await limiter.take('a', limit, 5)).toMatchObject({ granted: 3, remaining: 0 })
  })

  test('takers of one key share one request at a time, first come first served', async () => {
    const { windows, limiter } = scene()
    const answers = await Promise.all(
      [1, 1, 4, 1].map(async (n) => await limiter.take('a', limit, n))
    )
    expect(answers.map(({ granted }) => granted)).toEqual([1, 1, 1, 0])
    expect(windows.requests).toBe(2)
  })

  test('traffic is served from leases, which are refilled before they are empty', async () => {
    const { windows, limiter } = scene()
    await busy(limiter, 'a', 1000)
    const before = windows.requests
    expect(await busy(limiter, 'a', 2000)).toBe(0)
    expect(windows.requests - before).toBeLessThan(20)
    expect(windows.requests - before).toBeGreaterThan(3)
  })

  test('leases end with their window', async () => {
    const { windows, limiter } = scene()
    await busy(limiter, 'a', 3000)
    const first = windows.windowOf('a', wide)
    now = first.endsAt
    expect((await limiter.take('a', wide, 1)).granted).toBe(1)
    expect(windows.windowOf('a', wide)).not.toBe(first)
  })

  test('a key over its limit is rejected without a request for a second', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 4)
    const before = windows.requests
    for (let time = 0; time < 100; time++) {
      const refused = atOnce(limiter.take('a', limit, 1))
      expect(refused).toEqual({ granted: 0, remaining: 0, resetMs: 60_000 })
    }
    expect(windows.requests).toBe(before)
    now += 1000
    expect((await limiter.take('a', limit, 1)).granted).toBe(0)
    expect(windows.requests).toBe(before + 1)
  })

  test('a window is known to be spent after a caller did not get all points', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 3)
    expect(limiter.isSpent('a', limit)).toBe(false)
    await limiter.take('a', limit, 1)
    expect(limiter.isSpent('a', limit)).toBe(true)
    limiter.giveBack('a', limit, 1)
    expect(limiter.isSpent('a', limit)).toBe(false)
    await limiter.take('a', limit, 1)
    expect(limiter.isSpent('a', limit)).toBe(true)
    now = windows.windowOf('a', limit).endsAt
    expect(limiter.isSpent('a', limit)).toBe(false)
  })

  test('a spent window is checked every second, without letting a request through', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 4)
    const before = windows.requests
    for (let time = 0; time < 100; time++) expect(limiter.isSpent('a', limit)).toBe(true)
    expect(windows.requests).toBe(before)
    now += 1000
    for (let time = 0; time < 100; time++) expect(limiter.isSpent('a', limit)).toBe(true)
    expect(windows.requests).toBe(before + 1)
    await answered()
    expect(limiter.isSpent('a', limit)).toBe(true)
    expect(windows.requests).toBe(before + 1)

    windows.open.clear()
    now += 1000
    limiter.isSpent('a', limit)
    await answered()
    expect(limiter.isSpent('a', limit)).toBe(false)
    expect(await limiter.take('a', limit, 3)).toMatchObject({ granted: 3, remaining: 0 })
  })

  test('a changed limit counts at once, in both directions', async () => {
    const { limiter } = scene()
    expect(await limiter.take('a', limit, 4)).toMatchObject({ granted: 3 })
    const higher = { ...limit, points: 5 }
    expect(await limiter.take('a', higher, 4)).toMatchObject({ granted: 2 })
    await busy(limiter, 'b', 2000)
    expect(await limiter.take('b', limit, 1)).toMatchObject({ granted: 0 })
  })

  test('windows start again after Redis lost its data', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 4)
    windows.open.clear()
    now += 1000
    expect(await limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining: 2 })
  })

  test('returned points can be taken again, and taking none only reads', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 4)
    limiter.giveBack('a', limit, 2)
    expect(atOnce(limiter.take('a', limit, 0))).toMatchObject({ granted: 0, remaining: 2 })
    expect(atOnce(limiter.take('a', limit, 3))).toMatchObject({ granted: 2 })
    expect(windows.requests).toBe(1)
  })

  test('requests and points are counted', async () => {
    const { limiter, metrics } = scene()
    await limiter.take('a', limit, 2)
    await limiter.take('a', limit, 2)
    now += 1000
    await limiter.take('a', limit, 1)
    expect(metrics.labelsOf('sluice_rate_limit_requests_total')).toEqual([
      { result: 'granted' },
      { result: 'cut' },
      { result: 'refused' }
    ])
    const leased = metrics.counts.filter(({ name }) => name.endsWith('leased_points_total'))
    expect(leased.map(({ value }) => value)).toEqual([2, 1])
  })
})

describe('while Redis is unavailable', () => {
  const gone = new Error('Connection is closed.')

  test('the whole limit applies locally, for each key', async () => {
    const { windows, limiter, metrics } = scene()
    windows.failure = gone
    for (const remaining of [2, 1, 0]) {
      expect(await limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining })
    }
    expect(await limiter.take('a', limit, 1)).toEqual({ granted: 0, remaining: 0, resetMs: 60_000 })
    expect(await limiter.take('b', limit, 4)).toMatchObject({ granted: 3 })
    expect(metrics.levelOf('sluice_rate_limit_local')).toBe(1)
    expect(metrics.labelsOf('sluice_rate_limit_requests_total')).toEqual([{ result: 'failed' }])
    now += 60_000
    expect(await limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining: 2 })
  })

  test('a check for a spent window also checks whether Redis is available again', async () => {
    const { windows, limiter } = scene()
    windows.failure = gone
    await limiter.take('a', limit, 2)
    expect(limiter.isSpent('a', limit)).toBe(false)
    await limiter.take('a', limit, 1)
    expect(limiter.isSpent('a', limit)).toBe(true)
    windows.failure = null
    now += 250
    limiter.isSpent('a', limit)
    await answered()
    expect(limiter.isSpent('a', limit)).toBe(false)
  })

  test('the listener is notified of the reason, and of the recovery', async () => {
    const windows = new FakeWindows(clock)
    const heard: unknown[] = []
    const listener = {
      unavailable: (error: unknown) => heard.push(error),
      available: () => heard.push('back')
    }
    const options = { windows, metrics: new RecordingMetrics(), now: clock, listener }
    const limiter = createRateLimiter(options)
    await limiter.take('a', limit, 1)
    expect(heard).toEqual([])
    windows.failure = gone
    await limiter.take('b', limit, 1)
    windows.failure = null
    now += 1000
    void limiter.take('b', limit, 1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(heard).toEqual([gone, 'back'])
  })

  test('all waiting callers are served', async () => {
    const { windows, limiter } = scene()
    windows.failure = gone
    const answers = await Promise.all([1, 1, 4].map(async (n) => await limiter.take('a', limit, n)))
    expect(answers.map(({ granted }) => granted)).toEqual([1, 1, 1])
  })

  test('the local window continues where the shared one was left', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 2)
    windows.failure = gone
    await limiter.take('another', limit, 1)
    now += 10_000
    expect(await limiter.take('a', limit, 2)).toEqual({
      granted: 1,
      remaining: 0,
      resetMs: 50_000
    })
    limiter.giveBack('a', limit, 1)
    expect(await limiter.take('a', limit, 0)).toMatchObject({ remaining: 1 })
  })

  test('a window spent by others rejects no local caller', async () => {
    const windows = new FakeWindows(clock)
    const [first, second] = [limiterOn(windows), limiterOn(windows)]
    await first.limiter.take('a', limit, 3)
    expect(await second.limiter.take('a', limit, 1)).toMatchObject({ granted: 0 })
    windows.failure = gone
    now += 1000
    expect(await second.limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining: 2 })
  })

  test('no caller waits for the recovery check, and then points are shared again', async () => {
    const { windows, limiter, metrics } = scene()
    windows.failure = gone
    await limiter.take('a', wide, 1)
    const before = windows.requests
    expect(atOnce(limiter.take('a', wide, 1)).granted).toBe(1)
    expect(windows.requests).toBe(before)

    now += 250
    windows.failure = null
    expect(atOnce(limiter.take('a', wide, 1)).granted).toBe(1)
    expect(windows.requests).toBe(before + 1)
    await Promise.resolve()
    await Promise.resolve()
    expect(metrics.levelOf('sluice_rate_limit_local')).toBe(0)
    // The limiter has no lease yet, so it sends a request.
    expect(await limiter.take('a', wide, 1)).toMatchObject({ granted: 1, remaining: 99_999 })
  })
})
