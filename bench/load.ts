/** The process of the load: posts bodies over kept connections and reports what it saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { shapes } from './bodies.ts'
import type { ShapeName } from './bodies.ts'
import { createHistogram } from './histogram.ts'
import type { Histogram } from './histogram.ts'

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
}

/** What it answers. */
export interface LoadReport {
  readonly seconds: number
  /** Answers by status; 0 stands for a connection that broke. */
  readonly statuses: Readonly<Record<number, number>>
  /** Of the answered requests, as counts of a histogram. */
  readonly latencies: readonly number[]
}

interface Tally {
  readonly statuses: Record<number, number>
  readonly latencies: Histogram
}

/** Longer than the turns of all other rows together. */
const keepAliveTimeoutMs = 300_000
const pools = new Map<string, Pool>()

/** Connections stay open between the turns of a row: opening them is not what is measured. */
function poolOf(origin: string, connections: number): Pool {
  const known = pools.get(origin)
  if (known !== undefined) return known
  const keepAlive = {
    keepAliveTimeout: keepAliveTimeoutMs,
    keepAliveMaxTimeout: keepAliveTimeoutMs
  }
  const pool = new Pool(origin, { connections, pipelining: 1, ...keepAlive })
  pools.set(origin, pool)
  return pool
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const { origin, pathname } = new URL(order.url)
  const { contentType, makeBodies } = shapes[order.shape]
  const headers = { 'content-type': contentType, ...order.headers }
  const pool = poolOf(origin, order.connections)
  const tally: Tally = { statuses: {}, latencies: createHistogram() }
  const bodies = makeBodies()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000

  async function caller(first: number): Promise<void> {
    for (let at = first; performance.now() < endsAt; at += order.connections) {
      const sentAt = await turnOf(startedAt, order.rate, at)
      const body = bodies[at % bodies.length] ?? null
      await call(tally, sentAt, () =>
        pool.request({ path: pathname, method: 'POST', headers, body })
      )
    }
  }

  await Promise.all(Array.from({ length: order.connections }, (_, index) => caller(index)))
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, statuses: tally.statuses, latencies: tally.latencies.counts }
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

async function call(
  tally: Tally,
  sentAt: number,
  send: () => ReturnType<Pool['request']>
): Promise<void> {
  try {
    const { statusCode, body } = await send()
    await body.dump()
    tally.latencies.record(performance.now() - sentAt)
    tally.statuses[statusCode] = (tally.statuses[statusCode] ?? 0) + 1
  } catch {
    tally.statuses[0] = (tally.statuses[0] ?? 0) + 1
  }
}

process.on('message', (order: LoadOrder) => {
  load(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    }
  )
})
// The bench is gone, so nobody waits for a report.
process.once('disconnect', () => process.exit())
