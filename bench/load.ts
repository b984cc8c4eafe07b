/** The load, as a process of its own: posts bodies over kept connections and says what it saw. */
import { Pool } from 'undici'
import { makeBodies } from './bodies.ts'

/** What the parent process says to begin. */
export interface LoadOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

/** What it is told at the end. */
export interface LoadReport {
  readonly seconds: number
  /** Answers by status; 0 stands for a connection that broke. */
  readonly statuses: Readonly<Record<number, number>>
  /** Milliseconds of each answered request. */
  readonly latenciesMs: readonly number[]
}

interface Tally {
  readonly statuses: Record<number, number>
  readonly latenciesMs: number[]
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const { origin, pathname } = new URL(order.url)
  const pool = new Pool(origin, { connections: order.connections, pipelining: 1 })
  const tally: Tally = { statuses: {}, latenciesMs: [] }
  const bodies = makeBodies()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000

  async function caller(first: number): Promise<void> {
    for (let at = first; performance.now() < endsAt; at += order.connections) {
      const body = bodies[at % bodies.length]
      await call(tally, () =>
        pool.request({ path: pathname, method: 'POST', headers: order.headers, body: body ?? null })
      )
    }
  }

  await Promise.all(Array.from({ length: order.connections }, (_, index) => caller(index)))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { seconds, ...tally }
}

async function call(tally: Tally, send: () => ReturnType<Pool['request']>): Promise<void> {
  const sentAt = performance.now()
  try {
    const { statusCode, body } = await send()
    await body.dump()
    tally.latenciesMs.push(performance.now() - sentAt)
    tally.statuses[statusCode] = (tally.statuses[statusCode] ?? 0) + 1
  } catch {
    tally.statuses[0] = (tally.statuses[0] ?? 0) + 1
  }
}

process.once('message', (order: LoadOrder) => {
  load(order).then(
    (report) => process.send?.(report, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exitCode = 1
      process.disconnect()
    }
  )
})
