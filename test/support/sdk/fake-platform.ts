/** Fakes the platform of the TypeScript SDK, so that a test controls time, randomness and the
 * gateway.
 */
import type {
  HttpResponse,
  ShutdownTarget,
  Exchange,
  Platform
} from '../../../sdk/typescript/src/platform.ts'

interface FakeRequest {
  readonly exchange: Exchange
  readonly at: number
  /** Decisions parsed from the body. */
  readonly decisions: readonly Record<string, unknown>[]
  readonly report: unknown
}

/**
 * Returns the gateway's response. A thrown error simulates a failed connection; a pending promise
 * simulates a hanging gateway.
 */
export type Gateway = (
  request: FakeRequest
) => Partial<HttpResponse> | Promise<Partial<HttpResponse>>

export interface FakePlatform extends Platform {
  readonly requests: FakeRequest[]
  readonly lines: string[]
  /** Clients to shut down when the process exits. */
  readonly watched: Set<ShutdownTarget>
  gateway: Gateway
  /** Value that `random` returns. */
  chance: number
  /** Advances the clock and runs all timers that are due. */
  advance(ms: number): Promise<void>
  /** Returns the number of pending timers that keep the process alive. */
  held(): number
}

interface Timer {
  readonly at: number
  readonly run: () => void
  readonly hold: boolean
}

/** 2026-01-01 in milliseconds since the Unix epoch. */
const epochMs = 1_767_225_600_000

const timerMaxMs = 2 ** 31 - 1

/** Accepts every decision. */
export const takeAll: Gateway = ({ decisions }) => ({
  status: 202,
  body: JSON.stringify({
    results: decisions.map(({ decision_id }, index) => ({ index, decision_id, queued: true }))
  })
})

/** Uses each gateway for one request, then accepts every decision. */
export function script(...answers: Gateway[]): Gateway {
  const left = [...answers]
  return (request) => (left.shift() ?? takeAll)(request)
}

export function status(code: number, more: Partial<HttpResponse> = {}): Gateway {
  return () => ({ status: code, body: '', ...more })
}

export function createFakePlatform(environment: Record<string, string> = {}): FakePlatform {
  const timers = new Set<Timer>()
  let now = 0
  let filler = 0

  async function transport(exchange: Exchange): Promise<HttpResponse> {
    const { body } = exchange
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const parsed = JSON.parse(text) as { decisions: FakeRequest['decisions'] }
    const report = (parsed as { client_report?: unknown }).client_report
    const request = { exchange, at: now, decisions: parsed.decisions, report }
    platform.requests.push(request)
    const aborted = new Promise<never>((_, reject) => {
      exchange.signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
    const answer = await Promise.race([platform.gateway(request), aborted])
    return { status: 200, retryAfter: undefined, body: '', ...answer }
  }

  const platform: FakePlatform = {
    requests: [],
    lines: [],
    watched: new Set(),
    gateway: takeAll,
    chance: 0.5,
    environment,
    mayFreeze: false,
    transport,
    gzip: (text) => Promise.resolve(new TextEncoder().encode(text)),
    warn: (line) => void platform.lines.push(line),
    wallClock: () => epochMs + now,
    clock: () => now,
    random: () => platform.chance,
    fillRandom: (bytes) => void bytes.fill(filler++),
    byteLength: (text) => Buffer.byteLength(text),
    startTimer: (run, delayMs, hold = false) => {
      // As in setTimeout, a delay above the maximum becomes 1 ms.
      const timer = { at: now + (delayMs > timerMaxMs ? 1 : delayMs), run, hold }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    onShutdown: (client) => {
      platform.watched.add(client)
      return () => void platform.watched.delete(client)
    },
    held: () => Array.from(timers).filter(({ hold }) => hold).length,
    advance: async (ms) => {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = Array.from(timers).toSorted((one, other) => one.at - other.at)
        if (next === undefined || next.at > end) break
        now = Math.max(now, next.at)
        timers.delete(next)
        next.run()
        await settle()
      }
      now = end
    }
  }
  return platform
}

/** Runs pending promise callbacks without advancing the time. */
async function settle(): Promise<void> {
  const turns = 50
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
}
