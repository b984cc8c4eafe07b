/** Sends bodies to a gateway as bytes, and reads the stored decisions back as bytes. */
import type { Application } from '../application.ts'
import { clientOf } from '../installation.ts'
import type { Installation, Tenant } from '../installation.ts'
import { waitUntilConsumed } from '../kafka.ts'

type IngestResult = {
  readonly status: number
  /** Null if the decision was rejected. */
  readonly decision_id: string | null
  /** Problem details; empty if the decision was accepted. */
  readonly problem: Readonly<Record<string, unknown>>
}

export type ExchangeResult = IngestResult & {
  /** Response body of `GET /v1/decisions/{decision_id}`; null if the decision was rejected. */
  readonly read: Buffer | null
}

/** How bodies are sent: one per request, in a JSON batch, or as NDJSON lines. */
export type SendFormat = 'single' | 'batch' | 'lines'

export type Exchange = {
  send(body: Buffer | string): Promise<IngestResult>
  /**
   * Sends all bodies, waits until they are stored, and reads each accepted decision. Results are in
   * the order of the bodies.
   */
  exchange(bodies: readonly (Buffer | string)[], way?: SendFormat): Promise<ExchangeResult[]>
  /**
   * Returns the number of decisions accepted so far, including the valid ones that the exchange
   * adds to batches.
   */
  taken(): number
}

type ExchangeOptions = { sluice: Installation; tenant: Tenant; gateway: Application }

type Post = (path: string, type: string, body: Buffer | string) => Promise<Response>
type Result = { decision_id: string | null; queued: boolean; problem?: Record<string, unknown> }

const inParallelMax = 32
const batchItems = 100
const neighbour = Buffer.from('{"input":1,"output":"a good neighbour"}')

export function createExchange({ sluice, tenant, gateway }: ExchangeOptions): Exchange {
  let session: Promise<string> | undefined
  let taken = 0

  const post: Post = (path, type, body) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': type }
    })

  async function logIn(): Promise<string> {
    const { body } = await clientOf(gateway, tenant).login(tenant.email, tenant.password)
    return String(body['access_token'])
  }

  async function send(body: Buffer | string): Promise<IngestResult> {
    const answer = await post('/v1/ingest', 'application/json', body)
    const members = (await answer.json()) as Record<string, unknown>
    if (answer.status !== 202) return { status: answer.status, decision_id: null, problem: members }
    taken += 1
    return { status: 202, decision_id: String(members['decision_id']), problem: {} }
  }

  async function sendAll(
    bodies: readonly (Buffer | string)[],
    way: SendFormat
  ): Promise<IngestResult[]> {
    if (way === 'single') return await mapInParallel(bodies, send)
    const parts = chunksOf(bodies.map((body) => Buffer.from(body)))
    const answers = await mapInParallel(parts, (part) => sendTogether(post, part, way))
    taken += answers.flat().filter(({ status }) => status === 202).length
    return answers.flatMap((part) => withoutNeighbours(part))
  }

  async function read(decisionId: string): Promise<Buffer> {
    const answer = await fetch(`${gateway.url}/v1/decisions/${decisionId}`, {
      headers: { authorization: `Bearer ${await (session ??= logIn())}` }
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status === 200) return bytes
    throw new Error(`${decisionId} was accepted, but reads as ${bytes.toString()}`)
  }

  return {
    send,
    taken: () => taken,
    exchange: async (bodies, way = 'single') => {
      const answers = await sendAll(bodies, way)
      await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
      return await mapInParallel(answers, async (answer) => ({
        ...answer,
        read: answer.decision_id === null ? null : await read(answer.decision_id)
      }))
    }
  }
}

/**
 * Sends items in one batch. A valid item is inserted before each item, and must be accepted even if
 * its neighbour is rejected.
 */
async function sendTogether(
  post: Post,
  part: readonly Buffer[],
  way: SendFormat
): Promise<IngestResult[]> {
  const items = part.flatMap((body) => [neighbour, body])
  const [type, open, close] =
    way === 'lines'
      ? ['application/x-ndjson', '', '']
      : ['application/json', '{"decisions":[', ']}']
  const separator = Buffer.from(way === 'lines' ? '\n' : ',')
  const joined = items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]))
  const body = Buffer.concat([Buffer.from(open), ...joined, Buffer.from(close)])
  const answer = await post('/v1/ingest/batch', type, body)
  const { results } = (await answer.json()) as { results?: Result[] }
  if (results?.length !== items.length) throw new Error(`a batch got status ${answer.status}`)
  return results.map(({ decision_id, queued, problem = {} }) => ({
    status: queued ? 202 : Number(problem['status']),
    decision_id: queued ? decision_id : null,
    problem
  }))
}

function withoutNeighbours(answers: readonly IngestResult[]): IngestResult[] {
  return answers.filter(({ status }, index) => {
    if (index % 2 === 0 && status !== 202) throw new Error('a valid neighbour was rejected')
    return index % 2 === 1
  })
}

function chunksOf(bodies: readonly Buffer[]): Buffer[][] {
  const count = Math.ceil(bodies.length / batchItems)
  return Array.from({ length: count }, (_, index) =>
    bodies.slice(index * batchItems, (index + 1) * batchItems)
  )
}

/** Maps items with limited concurrency, and returns the results in order. */
async function mapInParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: inParallelMax }, worker))
  return results
}
