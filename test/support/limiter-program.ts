/** An instance that only limits: takes points for a while and tells what it was given. */
import { createRateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { createRedis } from '../../platform/redis/redis.ts'
import { createSharedWindows } from '../../platform/redis/shared-windows.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'

export type LimiterPlan = {
  redisUrl: string
  key: string
  points: number
  windowSeconds: number
  /** How long it takes points, and how many it tries for in each millisecond. */
  ms: number
  perMs: number
}

export type LimiterReport = {
  /** Milliseconds since 1970 and how many points were given in that millisecond. */
  given: [number, number][]
  refused: number
  requests: number
  leased: number
  /** How often Redis was said to be away. */
  outages: number
}

/** Patient, since a busy machine is not what it is about. */
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
