/** The process of the load: posts bodies over kept connections and reports what it saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { shapes } from './shapes.ts'
import type { Body, ShapeName } from './shapes.ts'
import { serveOrders } from './serve-orders.ts'
import { createTally } from './tally.ts'
import type { GroupedAnswers, Tally } from './tally.ts'

/** What it is asked. */
export interface LoadOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly shape: ShapeName
  readonly connections: number
  readonly seconds: number
  /**
   * Requests in a second over all connections; 0 sends the next as soon as the last is answered.
   */
  readonly rate: number
  /** Ends before the time is over, after so many; as many on each connection. */
  readonly requests?: number
  /** The next order goes over the same connections. */
  readonly keepsConnections?: boolean
}

/** What it answers. */
export interface LoadReport extends GroupedAnswers {
  readonly seconds: number
}

/** Longer than the turns of all other rows together. */
const keepAliveTimeoutMs = 300_000
/** For an answer; one that hangs would hold up the whole run. */
const answerTimeoutMs = 30_000
const pools = new Map<string, Pool>()

/** Connections stay open between the turns of a row: opening them is not what is measured. */
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
  const sent = bodies()
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
 * Waits for the turn of request number `at` and resolves with the moment its latency counts from.
 * One that is late, because the answer before it was, counts from when it was due: a slow system
 * would otherwise be asked, and blamed, less often.
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
