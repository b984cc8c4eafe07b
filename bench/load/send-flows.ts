/** Load process for --fairness: sends each flow's requests at their scheduled times. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { createAtMost } from '../../platform/process/at-most.ts'
import { agentsFlow, attacks, innocentFlows } from '../attacks.ts'
import type { Flow } from '../attacks.ts'
import { serveOrders } from './serve-orders.ts'
import { answersIn, createTally } from './tally.ts'
import type { GroupedAnswers, Tally } from './tally.ts'

export interface FlowOrder {
  /** Names of the flows to send. */
  readonly flows: readonly string[]
  readonly origin: string
  /** Source address of the connections. */
  readonly localAddress: string
  readonly key: string
  readonly session: string
  /** Duration of the load. If it is 0, the process builds the bodies and sends nothing. */
  readonly seconds: number
  /** Time in milliseconds to wait for responses before closing the connections. */
  readonly drainMs: number
}

/**
 * Responses grouped by flow. Latency is measured from the scheduled send time to the end of the
 * response.
 */
export interface FlowReport extends GroupedAnswers {
  /** Number of requests without a complete response when the connections were closed. */
  readonly open: number
}

interface Sending {
  readonly order: FlowOrder
  readonly pool: Pool
  readonly tally: Tally
  readonly startedAt: number
  sent: number
}

const known = [...innocentFlows, agentsFlow, ...attacks]
const built = new Map<string, readonly Buffer[]>()
const answerBytesMax = 2 ** 30

/**
 * Returns the bodies of a flow. Builds them once per process, because some take a second to build.
 */
function bodiesOf({ name, bodies }: Flow): readonly Buffer[] {
  const found = built.get(name) ?? bodies?.() ?? []
  built.set(name, found)
  return found
}

async function run(order: FlowOrder): Promise<FlowReport> {
  const flows = known.filter(({ name }) => order.flows.includes(name))
  flows.forEach(bodiesOf)
  const { origin, localAddress, seconds, drainMs } = order
  // No connection limit, so that requests never wait for a connection.
  const pool = new Pool(origin, { localAddress })
  const tally = createTally()
  const sending: Sending = { order, pool, tally, startedAt: performance.now(), sent: 0 }
  const ended = Promise.all(flows.map((flow) => sendFlow(flow, sending)))
  await Promise.race([ended, sleep(seconds * 1000 + drainMs)])
  const answers = structuredClone(tally.answers())
  const open = sending.sent - answersIn(answers.statuses)
  await pool.destroy()
  await ended
  return { ...answers, open }
}

async function sendFlow(flow: Flow, sending: Sending): Promise<void> {
  const { order, startedAt } = sending
  const { perSecond, atOnce = Infinity, requestsMax = Infinity } = flow
  const endsAt = startedAt + order.seconds * 1000
  const atMost = createAtMost(atOnce)
  const sent: Promise<void>[] = []
  for (let index = 0; index < requestsMax; index++) {
    const dueAt = startedAt + (index / perSecond) * 1000
    if (dueAt >= endsAt) break
    const earlyMs = dueAt - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    sent.push(atMost(() => send(flow, sending, { index, dueAt })))
  }
  await Promise.all(sent)
}

interface Planned {
  readonly index: number
  readonly dueAt: number
}

async function send(flow: Flow, sending: Sending, { index, dueAt }: Planned): Promise<void> {
  const { name, path, credential, headers } = flow
  const { order, pool, tally } = sending
  const bodies = bodiesOf(flow)
  const isPost = bodies.length > 0
  const request = {
    path: path(index),
    method: isPost ? 'POST' : 'GET',
    body: isPost ? (bodies[index % bodies.length] ?? null) : null,
    headers: {
      ...(isPost ? { 'content-type': 'application/json' } : {}),
      ...(credential === 'none' ? {} : { authorization: `Bearer ${order[credential]}` }),
      ...headers
    }
  } as const
  if (pool.destroyed) return
  sending.sent += 1
  try {
    const { statusCode, body } = await pool.request(request)
    await body.dump({ limit: answerBytesMax })
    tally.answered(statusCode, performance.now() - dueAt, name)
  } catch {
    tally.broken(name)
  }
}

serveOrders(run)
