/** Read-ahead for kafkajs: fetches the next records while a consumer processes the current ones.
 *
 * kafkajs 2.2.4 sends a fetch request only after all records of the previous response are
 * processed, so Postgres is idle during each fetch. This patch sends the next request as soon as a
 * response arrives, but only if the broker has more records: the broker holds a request for records
 * that do not exist yet, and every later request on that connection waits. kafkajs still decides
 * which offsets to request. A partition of an early response is used only if kafkajs requests the
 * same offset; otherwise it is dropped.
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
  /** Consumers read up to here: the offset behind the last committed record. */
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
  /** Null after an error: kafkajs sees it when it sends the same request. */
  readonly answer: Promise<FetchResponse | null>
}

/** Keeps at most one early answer for each broker; its size is limited as that of any other. */
export function readAhead({ prototype }: { readonly prototype: Broker }): void {
  const { fetch } = prototype
  const earlyOf = new WeakMap<Broker, EarlyFetch>()

  prototype.fetch = async function fetchAhead(request) {
    const early = earlyOf.get(this)
    earlyOf.delete(this)
    const known = early && selectUsable(early.request, await early.answer, request)
    const answer = known ?? (await fetch.call(this, request))
    const next = buildNextRequest(request, answer)
    if (next !== null) {
      const sent = fetch.call(this, next).catch(() => null)
      earlyOf.set(this, { request: next, answer: sent })
    }
    return answer
  }
}

/** @returns what answers `request`, or null if it has no records */
function selectUsable(
  asked: FetchRequest,
  answer: FetchResponse | null,
  request: FetchRequest
): FetchResponse | null {
  if (answer === null) return null
  const [before, now] = [offsetsOf(asked), offsetsOf(request)]
  const responses = answer.responses.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.filter(({ partition }) => {
      const name = nameOf(topicName, partition)
      return before.get(name) === now.get(name)
    })
  }))
  const hasRecords = responses.some(({ partitions }) =>
    partitions.some(({ messages }) => messages.length > 0)
  )
  return hasRecords ? { ...answer, responses } : null
}

function offsetsOf({ topics }: FetchRequest): Map<string, string> {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [nameOf(topic, partition), fetchOffset])
    )
  )
}

/** @returns the request that kafkajs sends when `answer` is settled; null if it has to wait */
function buildNextRequest(
  request: FetchRequest,
  { responses }: FetchResponse
): FetchRequest | null {
  const answers = new Map(
    responses.flatMap(({ topicName, partitions }) =>
      partitions.map((answer) => [nameOf(topicName, answer.partition), answer])
    )
  )
  let hasMore = false
  const topics = request.topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((asked) => {
      const answer = answers.get(nameOf(topic, asked.partition))
      const last = answer?.messages.at(-1)
      if (answer === undefined || last === undefined) return asked
      const fetchOffset = BigInt(last.offset) + 1n
      hasMore ||= fetchOffset < BigInt(answer.lastStableOffset)
      return { ...asked, fetchOffset: String(fetchOffset) }
    })
  }))
  return hasMore ? { ...request, topics } : null
}

function nameOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}

const load = createRequire(import.meta.url)
readAhead(load('kafkajs/src/broker') as { readonly prototype: Broker })
