/** A platform for the TypeScript SDK whose time, chance and gateway are in the test's hands. */
import type { Answer, Endable, Exchange, Platform } from '../../../sdk/typescript/src/platform.ts'

export interface FakeRequest {
  readonly exchange: Exchange
  readonly at: number
  /** The decisions of the body, parsed. */
  readonly decisions: readonly Record<string, unknown>[]
  readonly report: unknown
}

/** What a gateway says to a request; throwing is no answer, and never resolving is a hang. */
export type Gateway = (request: FakeRequest) => Partial<Answer> | Promise<Partial<Answer>>

export interface FakePlatform extends Platform {
  readonly requests: FakeRequest[]
  readonly lines: string[]
  /** The clients that asked to be told of the end. */
  readonly watched: Set<Endable>
  gateway: Gateway
  /** What `random` gives. */
  chance: number
  /** Lets time pass, with all that is due in it. */
  advance(ms: number): Promise<void>
  /** Timers that would keep the process alive. */
  held(): number
}

interface Timer {
  readonly at: number
  readonly run: () => void
  readonly hold: boolean
}

/** 2026-01-01, so that dates are dates. */
const epochMs = 1_767_225_600_000

const timerMaxMs = 2 ** 31 - 1

/** Takes whatever it is given, as a gateway would. */
export const takeAll: Gateway = ({ decisions }) => ({
  status: 202,
  body: JSON.stringify({
    results: decisions.map(({ decision_id }, index) => ({ index, decision_id, queued: true }))
  })
})

/** One answer after the other, then `takeAll`. */
export function script(...answers: Gateway[]): Gateway {
  const left = [...answers]
  return (request) => (left.shift() ?? takeAll)(request)
}

export function status(code: number, more: Partial<Answer> = {}): Gateway {
  return () => ({ status: code, body: '', ...more })
}

export function createFakePlatform(environment: Record<string, string> = {}): FakePlatform {
  const timers = new Set<Timer>()
  let now = 0
  let filler = 0

  async function transport(exchange: Exchange): Promise<Answer> {
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
      // As setTimeout does it.
      const timer = { at: now + (delayMs > timerMaxMs ? 1 : delayMs), run, hold }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    watchEnd: (client) => {
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

/** Whatever follows from what has happened, without any time. */
async function settle(): Promise<void> {
  const turns = 50
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
}
