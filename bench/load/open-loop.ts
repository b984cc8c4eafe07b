/** Open-loop child process: sends requests at a fixed rate regardless of responses, as independent
 * agents do.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { shapes } from './shapes.ts'
import { createLeanConnection } from './lean-connection.ts'
import type { LeanConnection } from './lean-connection.ts'
import type { LoadOrder } from './load.ts'
import { serveOrders } from './serve-orders.ts'
import { createTally } from './tally.ts'
import type { GroupedAnswers, Tally } from './tally.ts'

export interface OpenLoopReport extends GroupedAnswers {
  readonly seconds: number
  /** Number of requests not sent because no connection was idle when they were due. */
  readonly unsent: number
  /** Number of responses by status, including responses received after the measured time. */
  readonly finally: Readonly<Record<number, number>>
}

const tickMs = 1
/** Number of connections opened at a time, so that the server's accept queue does not overflow. */
const connectionsAtOnce = 200
const connectPauseMs = 20
const connectTimeoutMs = 10_000
/** Time in milliseconds to wait for outstanding responses at the end of a job. */
const settleMs = 2000

/** Connections that the previous job kept open. */
let kept: LeanConnection[] = []

/** Runs a job. If its rate is 0, each connection sends whenever it is idle. */
async function run(order: LoadOrder): Promise<OpenLoopReport> {
  const requests = requestsOf(order)
  const connections = kept.length === 0 ? await openConnections(order) : kept
  const freeOf = createFreeOf(connections)
  const tally = createTally()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  let due = 0
  let sent = 0
  let unsent = 0
  while (performance.now() < endsAt) {
    const passed = (performance.now() - startedAt) / 1000
    const wanted = order.rate === 0 ? connections.length : Math.floor(passed * order.rate) - due
    const free = freeOf(wanted)
    for (const connection of free) post(connection, requests[sent++ % requests.length], tally)
    due += wanted
    if (order.rate !== 0) unsent += wanted - free.length
    await sleep(tickMs)
  }
  const seconds = (performance.now() - startedAt) / 1000
  // Copies the counts, because responses that arrive later must not change them.
  const answers = structuredClone(tally.answers())
  kept = order.keepsConnections === true ? connections : []
  await settle(kept.length === 0 ? connections : [])
  return { seconds, unsent, ...answers, finally: tally.answers().statuses }
}

async function openConnections(order: LoadOrder): Promise<LeanConnection[]> {
  const { hostname, port } = new URL(order.url)
  const connections: LeanConnection[] = []
  while (connections.length < order.connections) {
    connections.push(createLeanConnection(hostname, Number(port)))
    if (connections.length % connectionsAtOnce === 0) await sleep(connectPauseMs)
  }
  const endsAt = performance.now() + connectTimeoutMs
  while (performance.now() < endsAt && !connections.every((one) => one.isIdle())) {
    await sleep(connectPauseMs)
  }
  return connections
}

/**
 * Creates a function that returns idle connections. Each call resumes the search where the previous
 * call ended, which spreads the load and avoids checking busy connections again.
 */
function createFreeOf(connections: readonly LeanConnection[]) {
  let at = 0

  return function freeOf(wanted: number): LeanConnection[] {
    const free: LeanConnection[] = []
    for (let seen = 0; seen < connections.length && free.length < wanted; seen++) {
      const connection = connections[at++ % connections.length]
      if (connection?.isIdle() === true) free.push(connection)
    }
    return free
  }
}

function post(connection: LeanConnection, request: Buffer | undefined, tally: Tally): void {
  if (request === undefined) return
  const sentAt = performance.now()
  connection.send(request, (status) => {
    if (status === 0) tally.broken()
    else tally.answered(status, performance.now() - sentAt, groupOf(status))
  })
}

function groupOf(status: number): string {
  return status === 202 ? 'accepted' : 'refused'
}

async function settle(connections: readonly LeanConnection[]): Promise<void> {
  await sleep(settleMs)
  for (const connection of connections) connection.close()
}

function requestsOf({ url, headers, shape, bodies: kind }: LoadOrder): Buffer[] {
  const { host, pathname } = new URL(url)
  const { contentType, bodies } = shapes[shape]
  return bodies(kind).map(({ content }) => {
    const lines = Object.entries({
      host,
      'content-type': contentType,
      'content-length': String(content.length),
      ...headers
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`
    return Buffer.concat([Buffer.from(head), content])
  })
}

serveOrders(run)
