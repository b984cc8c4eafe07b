/** Child process that sends requests over keep-alive connections and reports statuses and
 * latencies.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { shapes } from './shapes.ts'
import type { Body, BodyKind, ShapeName } from './shapes.ts'
import { serveOrders } from './serve-orders.ts'
import { createTally } from './tally.ts'
import type { GroupedAnswers, Tally } from './tally.ts'

export interface LoadOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly shape: ShapeName
  /** Kind of the bodies. Default: `plain`. */
  readonly bodies?: BodyKind
  readonly connections: number
  readonly seconds: number
  /**
   * Requests per second over all connections. If 0, each connection sends its next request as soon
   * as it has a response.
   */
  readonly rate: number
  /** Maximum number of requests, split evenly among the connections. */
  readonly requests?: number
  /** Whether the connections stay open for the next job. */
  readonly keepsConnections?: boolean
}

export interface LoadReport extends GroupedAnswers {
  readonly seconds: number
}

/** Keep-alive timeout in milliseconds. Connections must stay open while other rows are measured. */
const keepAliveTimeoutMs = 300_000
/**
 * Response timeout in milliseconds. A missing response would otherwise block the run for minutes.
 */
const answerTimeoutMs = 30_000
const pools = new Map<string, Pool>()

/**
 * Returns the pool of a server. Pools are kept so that measurements do not include the time to open
 * connections.
 */
function poolOf(origin: string, connections: number): Pool {
  const known = pools.get(origin)
  if (known !== undefined) return known
  const keepAlive = {
    keepAliveTimeout: keepAliveTimeoutMs,
    keepAliveMaxTimeout: keepAliveTimeoutMs
  }
  const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs }
  const pool = new Pool(origin, { connections, pipelining: 1, ...keepAlive, ...timeouts })
  pools.set(origin, pool)
  return pool
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const { origin, pathname } = new URL(order.url)
  const { contentType, bodies } = shapes[order.shape]
  const headers = { 'content-type': contentType, ...order.headers }
  const pool = poolOf(origin, order.connections)
  const tally = createTally()
  const sent = bodies(order.bodies)
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  const { requests = Number.POSITIVE_INFINITY } = order

  async function caller(first: number): Promise<void> {
    for (let at = first; at < requests && performance.now() < endsAt; at += order.connections) {
      const sentAt = await turnOf(startedAt, order.rate, at)
      const { content: body, group } = sent[at % sent.length] as Body
      const send = () => pool.request({ path: pathname, method: 'POST', headers, body })
      await call(tally, { sentAt, group, send })
    }
  }

  await Promise.all(Array.from({ length: order.connections }, (_, index) => caller(index)))
  return { seconds: (performance.now() - startedAt) / 1000, ...tally.answers() }
}

/**
 * Waits until request number `at` is due and returns the time from which its latency counts. For a
 * late request, that is its due time. This avoids coordinated omission, which would make a slow
 * system look faster.
 */
async function turnOf(startedAt: number, rate: number, at: number): Promise<number> {
  if (rate === 0) return performance.now()
  const dueAt = startedAt + (at / rate) * 1000
  const early = dueAt - performance.now()
  if (early <= 0) return dueAt
  await sleep(early)
  return performance.now()
}

interface Request {
  readonly sentAt: number
  readonly group: string | undefined
  readonly send: () => ReturnType<Pool['request']>
}

async function call(tally: Tally, { sentAt, group, send }: Request): Promise<void> {
  try {
    const { statusCode, body } = await send()
    await body.dump()
    tally.answered(statusCode, performance.now() - sentAt, group)
  } catch {
    tally.broken(group)
  }
}

serveOrders(load)
