/** Limits shared through leases; without Redis each instance applies the whole limit alone. */
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

/** The answer of a take that must not wait. */
function atOnce(state: RateLimitState | Promise<RateLimitState>): RateLimitState {
  if (state instanceof Promise) throw new Error('it waits')
  return state
}

const answered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A point each millisecond, until leases have their size. */
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

describe('while Redis answers', () => {
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

  test('each key and each limit is its own', async () => {
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

  test('traffic is served from leases, which are refilled before they end', async () => {
    const { windows, limiter } = scene()
    await busy(limiter, 'a', 1000)
    const before = windows.requests
    expect(await busy(limiter, 'a', 2000)).toBe(0)
    expect(windows.requests - before).toBeLessThan(20)
    expect(windows.requests - before).toBeGreaterThan(3)
  })

  test('a window that ends takes its leases along', async () => {
    const { windows, limiter } = scene()
    await busy(limiter, 'a', 3000)
    const first = windows.windowOf('a', wide)
    now = first.endsAt
    expect((await limiter.take('a', wide, 1)).granted).toBe(1)
    expect(windows.windowOf('a', wide)).not.toBe(first)
  })

  test('who is over the limit is refused without a request, for a second', async () => {
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

  test('a window is known to be spent once somebody did not get all', async () => {
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

  test('a spent window is asked again each second, and nobody is let through for it', async () => {
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

  test('a limit that changes counts at once, either way', async () => {
    const { limiter } = scene()
    expect(await limiter.take('a', limit, 4)).toMatchObject({ granted: 3 })
    const higher = { ...limit, points: 5 }
    expect(await limiter.take('a', higher, 4)).toMatchObject({ granted: 2 })
    await busy(limiter, 'b', 2000)
    expect(await limiter.take('b', limit, 1)).toMatchObject({ granted: 0 })
  })

  test('when Redis lost its data the windows begin anew', async () => {
    const { windows, limiter } = scene()
    await limiter.take('a', limit, 4)
    windows.open.clear()
    now += 1000
    expect(await limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining: 2 })
  })

  test('what is given back can be taken again, and to take nothing is to look', async () => {
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

describe('while Redis does not answer', () => {
  const gone = new Error('Connection is closed.')

  test('the whole limit holds locally, for each key', async () => {
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

  test('who asks whether a window is spent asks Redis whether it is back', async () => {
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

  test('whoever listens hears why, and that it is back', async () => {
    const windows = new FakeWindows(clock)
    const heard: unknown[] = []
    const tell = { away: (error: unknown) => heard.push(error), back: () => heard.push('back') }
    const options = { windows, metrics: new RecordingMetrics(), now: clock, tell }
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

  test('everybody who waits is served', async () => {
    const { windows, limiter } = scene()
    windows.failure = gone
    const answers = await Promise.all([1, 1, 4].map(async (n) => await limiter.take('a', limit, n)))
    expect(answers.map(({ granted }) => granted)).toEqual([1, 1, 1])
  })

  test('the local window goes on where the shared one was left', async () => {
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

  test('others spent it: nobody is refused for that', async () => {
    const windows = new FakeWindows(clock)
    const [first, second] = [limiterOn(windows), limiterOn(windows)]
    await first.limiter.take('a', limit, 3)
    expect(await second.limiter.take('a', limit, 1)).toMatchObject({ granted: 0 })
    windows.failure = gone
    now += 1000
    expect(await second.limiter.take('a', limit, 1)).toMatchObject({ granted: 1, remaining: 2 })
  })

  test('nobody waits to learn whether it is back, and then it counts again', async () => {
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
    // It has no lease yet, so it asks.
    expect(await limiter.take('a', wide, 1)).toMatchObject({ granted: 1, remaining: 99_999 })
  })
})
