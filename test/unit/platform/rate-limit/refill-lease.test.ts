/** Tests that instances share windows correctly when requests and responses are delayed. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createRateLimiter } from '../../../../platform/rate-limit/rate-limiter.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../../../platform/rate-limit/rate-limiter.ts'
import { FakeWindows } from '../../../support/fake-windows.ts'
import type { FakeWindow } from '../../../support/fake-windows.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

const instances = 3
const windowSeconds = 1

/**
 * Delays of a request to Redis and of its response, in milliseconds. Together they are below 75 ms.
 */
interface Delay {
  readonly out: number
  readonly back: number
}

/**
 * Traffic of one instance: for `ms` milliseconds, `times` takes of `points` points every `every`
 * milliseconds.
 */
interface Traffic {
  readonly instance: number
  readonly ms: number
  readonly every: number
  readonly times: number
  readonly points: number
}

interface Request {
  readonly instance: number
  readonly points: number
  readonly arrivesAt: number
  readonly answeredAt: number
  readonly answer: PromiseWithResolvers<RateLimitState>
  carriedOut: { readonly state: RateLimitState; readonly window: FakeWindow } | null
}

interface Ledger {
  taken: number
  given: number
}

/** Simulates the time, the windows and the requests in flight. */
class World {
  now = 0
  readonly limit: RateLimit
  readonly shared = new FakeWindows(() => this.now)
  readonly wrong: string[] = []
  /** Points that each instance took from a window and gave to callers, by window. */
  readonly ledgers = new Map<FakeWindow, Ledger[]>()
  readonly limiters: readonly RateLimiter[]
  private readonly delays: readonly Delay[]
  private readonly onTheirWay = new Set<Request>()
  private answeredFrom: FakeWindow | null = null
  private sent = 0

  constructor(points: number, delays: readonly Delay[]) {
    this.limit = { points, windowSeconds }
    this.delays = delays
    const metrics = new RecordingMetrics()
    this.limiters = Array.from({ length: instances }, (_, instance) =>
      createRateLimiter({
        now: () => this.now,
        metrics,
        windows: { take: (_key, _limit, asked) => this.send(instance, asked) }
      })
    )
  }

  /** Maximum number of points that a lease holds in addition to current demand. */
  get leaseMax(): number {
    return Math.floor(this.limit.points / 16)
  }

  private send(instance: number, points: number): Promise<RateLimitState> {
    const { out, back } = this.delays[this.sent++ % this.delays.length] as Delay
    const answer = Promise.withResolvers<RateLimitState>()
    const arrivesAt = this.now + out
    const answeredAt = arrivesAt + back
    this.onTheirWay.add({ instance, points, arrivesAt, answeredAt, answer, carriedOut: null })
    return answer.promise
  }

  /** Advances the time by one millisecond and delivers the requests and responses that are due. */
  async tick(): Promise<void> {
    this.now += 1
    for (const request of this.onTheirWay) {
      if (request.carriedOut === null && request.arrivesAt <= this.now) this.carryOut(request)
      if (request.carriedOut === null || request.answeredAt > this.now) continue
      this.onTheirWay.delete(request)
      this.answeredFrom = request.carriedOut.window
      request.answer.resolve(request.carriedOut.state)
      // The promises of waiting callers resolve within a few microtasks.
      for (let turn = 0; turn < 8; turn++) await Promise.resolve()
    }
  }

  private carryOut(request: Request): void {
    const state = this.shared.carryOut('a', this.limit, request.points)
    const window = this.shared.windowOf('a', this.limit)
    request.carriedOut = { state, window }
    this.ledgerOf(window, request.instance).taken += state.granted
  }

  private ledgerOf(window: FakeWindow, instance: number): Ledger {
    const known = this.ledgers.get(window)
    const ledgers = known ?? this.limiters.map(() => ({ taken: 0, given: 0 }))
    if (known === undefined) this.ledgers.set(window, ledgers)
    return ledgers[instance] as Ledger
  }

  take(instance: number, points: number): void {
    const state = (this.limiters[instance] as RateLimiter).take('a', this.limit, points)
    const note = (window: FakeWindow | null, { granted }: RateLimitState): void => {
      if (window === null) return void this.wrong.push('given from no window')
      const ledger = this.ledgerOf(window, instance)
      ledger.given += granted
      if (ledger.given > ledger.taken) this.wrong.push('given without being taken')
      if (granted === points) return
      if (window.taken < this.limit.points) this.wrong.push('rejected while points were left')
    }
    if (state instanceof Promise) void state.then((late) => note(this.answeredFrom, late))
    // A synchronous take is served from the window that is open now.
    else note(this.shared.windowOf('a', this.limit), state)
  }
}

async function play(world: World, traffic: readonly Traffic[]): Promise<void> {
  for (const { instance, ms, every, times, points } of traffic) {
    for (let past = 0; past < ms; past++) {
      await world.tick()
      if (past % every !== 0) continue
      for (let time = 0; time < times; time++) world.take(instance, points)
      // The next instance takes points as well, so that several instances use up a window.
      if (past % 3 === 0) world.take((instance + 1) % instances, 1)
    }
  }
  for (let past = 0; past < 200; past++) await world.tick()
}

const traffic = fc.record({
  instance: fc.nat(instances - 1),
  ms: fc.integer({ min: 1, max: 400 }),
  every: fc.integer({ min: 1, max: 20 }),
  times: fc.integer({ min: 0, max: 4 }),
  points: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 60 }))
})
const delay = fc.record({ out: fc.nat(40), back: fc.nat(34) })

test('no window exceeds its limit, and no caller is rejected while points are left', async () => {
  const points = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 100, max: 5000 }))
  const delays = fc.array(delay, { minLength: 1, maxLength: 10 })
  const plan = fc.array(traffic, { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(points, delays, plan, async (limit, delaysOfRun, trafficOfRun) => {
      const world = new World(limit, delaysOfRun)
      await play(world, trafficOfRun)
      expect(world.wrong).toEqual([])
      for (const [window, ledgers] of world.ledgers) {
        expect(window.taken).toBeLessThanOrEqual(limit)
        const unused = ledgers.map(({ taken, given }) => taken - given)
        expect(Math.max(...unused)).toBeLessThanOrEqual(world.leaseMax)
      }
    }),
    { numRuns: 400 }
  )
})
