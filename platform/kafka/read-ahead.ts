/** Read-ahead for kafkajs: fetches the next records while a consumer processes the current ones.
 *
 * kafkajs 2.2.4 fetches again only after it has processed the previous response, so Postgres is
 * idle during each fetch. This patch sends the next request before kafkajs processes a response,
 * but only if the broker has more records. Otherwise the broker would hold the request until new
 * records arrive or the maximum wait ends, and block later requests on the connection. kafkajs
 * still chooses the offsets: the early response for a partition is dropped unless kafkajs requests
 * the same offset.
 */
import { createRequire } from 'node:module'

interface FetchRequest {
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[]
  }[]
}

interface PartitionResponse {
  readonly partition: number
  /**
   * Start of the first open transaction, or the end of the partition if there is none. Consumers
   * read up to this offset.
   */
  readonly lastStableOffset: string
  readonly messages: readonly { readonly offset: string }[]
}

interface FetchResponse {
  readonly responses: readonly {
    readonly topicName: string
    readonly partitions: readonly PartitionResponse[]
  }[]
}

export interface Broker {
  fetch(this: Broker, request: FetchRequest): Promise<FetchResponse>
}

interface EarlyFetch {
  readonly request: FetchRequest
  /** Null after an error. kafkajs then sends the request itself and gets the error. */
  readonly response: Promise<FetchResponse | null>
}

/** Patches `fetch`. Holds at most one early response per broker, with the usual size limit. */
export function readAhead({ prototype }: { readonly prototype: Broker }): void {
  const { fetch } = prototype
  const earlyOf = new WeakMap<Broker, EarlyFetch>()

  prototype.fetch = async function fetchAhead(request) {
    const early = earlyOf.get(this)
    earlyOf.delete(this)
    const usable = early && selectUsable(early.request, await early.response, request)
    const response = usable ?? (await fetch.call(this, request))
    const next = buildNextRequest(request, response)
    if (next !== null) {
      const sent = fetch.call(this, next).catch(() => null)
      earlyOf.set(this, { request: next, response: sent })
    }
    return response
  }
}

/**
 * Returns the part of the early response that matches `request`, or null if it contains no records.
 */
function selectUsable(
  requested: FetchRequest,
  response: FetchResponse | null,
  request: FetchRequest
): FetchResponse | null {
  if (response === null) return null
  const [before, now] = [offsetsOf(requested), offsetsOf(request)]
  const responses = response.responses.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.filter(({ partition }) => {
      const name = nameOf(topicName, partition)
      return before.get(name) === now.get(name)
    })
  }))
  const hasRecords = responses.some(({ partitions }) =>
    partitions.some(({ messages }) => messages.length > 0)
  )
  return hasRecords ? { ...response, responses } : null
}

function offsetsOf({ topics }: FetchRequest): Map<string, string> {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [nameOf(topic, partition), fetchOffset])
    )
  )
}

/**
 * Returns the request that kafkajs is expected to send after it has processed `response`, or null
 * if the broker has no more records.
 */
function buildNextRequest(
  request: FetchRequest,
  { responses }: FetchResponse
): FetchRequest | null {
  const byName = new Map(
    responses.flatMap(({ topicName, partitions }) =>
      partitions.map((response) => [nameOf(topicName, response.partition), response])
    )
  )
  let hasMore = false
  const topics = request.topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((requested) => {
      const response = byName.get(nameOf(topic, requested.partition))
      const last = response?.messages.at(-1)
      if (response === undefined || last === undefined) return requested
      const fetchOffset = BigInt(last.offset) + 1n
      hasMore ||= fetchOffset < BigInt(response.lastStableOffset)
      return { ...requested, fetchOffset: String(fetchOffset) }
    })
  }))
  return hasMore ? { ...request, topics } : null
}

function nameOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}

const load = createRequire(import.meta.url)
readAhead(load('kafkajs/src/broker') as { readonly prototype: Broker })
