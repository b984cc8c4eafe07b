/** Takes points from a shared rate limit in a separate process, and reports how many were granted.
 */
import { createRateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { createRedis } from '../../platform/redis/redis.ts'
import { createSharedWindows } from '../../platform/redis/shared-windows.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'

export type LimiterPlan = {
  redisUrl: string
  key: string
  points: number
  windowSeconds: number
  /** Duration of the run in milliseconds. */
  ms: number
  /** Points to request per millisecond. */
  perMs: number
}

export type LimiterReport = {
  /** Time in milliseconds since the Unix epoch, and the number of points granted. */
  given: [number, number][]
  refused: number
  requests: number
  leased: number
  /** Number of times that Redis became unavailable. */
  outages: number
}

/**
 * Timeout for Redis in milliseconds. It is generous, so that a slow test machine does not cause
 * outages.
 */
const answerWithinMs = 500

function run(plan: LimiterPlan): void {
  const report: LimiterReport = { given: [], refused: 0, requests: 0, leased: 0, outages: 0 }
  const metrics: Pick<Metrics, 'count' | 'set'> = {
    count: (name, _labels, by = 1) => {
      if (name === 'sluice_rate_limit_requests_total') report.requests += by
      if (name === 'sluice_rate_limit_leased_points_total') report.leased += by
    },
    set: (_name, _labels, value) => void (report.outages += value)
  }
  const redis = createRedis(plan.redisUrl)
  const windows = createSharedWindows(redis, answerWithinMs)
  const limiter = createRateLimiter({ windows, metrics })
  const limit = { points: plan.points, windowSeconds: plan.windowSeconds }

  function note(granted: number): void {
    if (granted === 0) report.refused += 1
    else report.given.push([performance.timeOrigin + performance.now(), granted])
  }

  function take(): void {
    const state = limiter.take(plan.key, limit, 1)
    if (state instanceof Promise) void state.then(({ granted }) => note(granted))
    else note(state.granted)
  }

  function start(): void {
    const startedAt = performance.now()
    let taken = 0
    const timer = setInterval(() => {
      const past = Math.min(performance.now() - startedAt, plan.ms)
      for (; taken < past * plan.perMs; taken++) take()
      if (past === plan.ms) clearInterval(timer)
    }, 1)
    setTimeout(() => {
      redis.disconnect()
      process.send?.(report, () => process.disconnect())
    }, plan.ms + 500)
  }

  redis.once('ready', () => process.send?.('ready'))
  process.once('message', start)
}

process.once('message', (plan) => run(plan as LimiterPlan))
