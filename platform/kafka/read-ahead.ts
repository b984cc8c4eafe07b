/** Lets kafkajs fetch the next records while a consumer works on the last ones.
 *
 * kafkajs 2.2.4 fetches only when all records of the last answer are settled. Meanwhile nothing is
 * settled, and Postgres has nothing to do. So the next request is sent as soon as an answer is
 * there, and only if the broker has more records: it would delay the answer to an early request
 * for records to come, and with it all later requests of the connection. kafkajs decides as before
 * what it asks for. An early answer is used if it starts at the offset that kafkajs then asks for,
 * and dropped otherwise.
 */
import { createRequire } from 'node:module'

interface FetchRequest {
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[]
  }[]
}

interface PartitionAnswer {
  readonly partition: number
  /** Consumers read up to here: the offset behind the last committed record. */
  readonly lastStableOffset: string
  readonly messages: readonly { readonly offset: string }[]
}

interface FetchAnswer {
  readonly responses: readonly {
    readonly topicName: string
    readonly partitions: readonly PartitionAnswer[]
  }[]
}

export interface Broker {
  fetch(this: Broker, request: FetchRequest): Promise<FetchAnswer>
}

interface Early {
  readonly request: FetchRequest
  /** Null after an error: kafkajs sees it when it sends the same request. */
  readonly answer: Promise<FetchAnswer | null>
}

/** Keeps at most one early answer for each broker; its size is limited as that of any other. */
export function readAhead({ prototype }: { readonly prototype: Broker }): void {
  const { fetch } = prototype
  const earlyOf = new WeakMap<Broker, Early>()

  prototype.fetch = async function fetchAhead(request) {
    const early = earlyOf.get(this)
    earlyOf.delete(this)
    const known = early && usableOf(early.request, await early.answer, request)
    const answer = known ?? (await fetch.call(this, request))
    const next = requestAfter(request, answer)
    if (next !== null) {
      const sent = fetch.call(this, next).catch(() => null)
      earlyOf.set(this, { request: next, answer: sent })
    }
    return answer
  }
}

/** @returns what answers `request`, or null if it has no records */
function usableOf(
  asked: FetchRequest,
  answer: FetchAnswer | null,
  request: FetchRequest
): FetchAnswer | null {
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
function requestAfter(request: FetchRequest, { responses }: FetchAnswer): FetchRequest | null {
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
