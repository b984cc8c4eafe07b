/** Reads what gateways have noted, all of them together. Redis away is null, and never a 0. */
import type { Clock } from '../core/clock.ts'
import { yieldTurn } from '../platform/process/yield-turn.ts'
import type { Redis } from '../platform/redis/redis.ts'
import type { KeyUse, RefusedAttempt } from './facts.ts'
import { attemptsMax } from './noted-facts.ts'
import { accepted, agentDigest, agentsName, attemptsName, fieldOf, hourMs } from './fact-names.ts'
import { hourOf, keptSeconds, keysName, reasonOf, useName } from './fact-names.ts'

/** Decisions of a key in the last 24 hours. */
export interface KeyCounts {
  readonly accepted: number
  readonly rejected: number
  readonly rejected_by_code: Readonly<Record<string, number>>
  /** Dropped by SDKs before they were sent, as they reported. */
  readonly dropped: number
}

export interface AgentIngestion {
  /** Decisions by the code of their refusal. */
  readonly rejected: Readonly<Record<string, number>>
  /** Decisions that SDKs dropped, by reason. */
  readonly dropped: Readonly<Record<string, number>>
  /** Those that have any, oldest first. */
  readonly hours: readonly AgentIngestionHour[]
}

export interface AgentIngestionHour {
  /** Its beginning, in milliseconds since 1970. */
  readonly hour: number
  readonly rejected: number
  readonly dropped: number
}

/** What was noted is here within seconds, and for 7 days. */
export interface ReadFacts {
  /** Has every key that was asked for. */
  keyCounts(
    organizationId: string,
    keyIds: readonly string[]
  ): Promise<ReadonlyMap<string, KeyCounts> | null>
  /** Newest first. */
  attempts(organizationId: string): Promise<readonly RefusedAttempt[] | null>
  /**
   * @param agentId the empty one are decisions that name none
   * @param since milliseconds since 1970; its whole hour counts
   */
  agentIngestion(
    organizationId: string,
    agentId: string,
    since: number
  ): Promise<AgentIngestion | null>
  /** Only those that were used to send something. */
  keyUse(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse> | null>
}

export interface ReadFactsDependencies {
  readonly redis: Redis
  readonly clock: Clock
  /** What may have been counted of an agent: codes of refusals, and `dropped.<reason>`. */
  readonly counted: readonly string[]
}

const dayHours = 24

export function createReadFacts({ redis, clock, counted }: ReadFactsDependencies): ReadFacts {
  return {
    keyCounts: (organizationId, keyIds) =>
      orNull(async () => {
        const hours = hoursSince(clock.now() - dayHours * hourMs, clock.now())
        const names = hours.map((hour) => keysName(organizationId, hour))
        const hashes = (await answersOf(redis, names, (pipeline, name) =>
          pipeline.hgetall(name)
        )) as readonly Record<string, string>[]
        return await keyCountsOf(keyIds, hashes)
      }),

    attempts: (organizationId) =>
      orNull(async () => {
        const name = attemptsName(organizationId)
        const texts = await redis.zrange(name, -attemptsMax, '-1')
        return texts.toReversed().map((text) => JSON.parse(text) as RefusedAttempt)
      }),

    agentIngestion: (organizationId, agentId, since) =>
      orNull(async () => {
        const now = clock.now()
        const hours = hoursSince(Math.max(since, now - keptSeconds * 1000), now)
        const fields = counted.map((what) => fieldOf(agentDigest(agentId), what))
        const names = hours.map((hour) => agentsName(organizationId, hour))
        const counts = (await answersOf(redis, names, (pipeline, name) =>
          pipeline.hmget(name, ...fields)
        )) as readonly (string | null)[][]
        return ingestionOf(
          hours.map((hour, at) => ({ hour, counts: namedCounts(counted, counts[at] ?? []) }))
        )
      }),

    keyUse: (keyIds) =>
      orNull(async () => {
        if (keyIds.length === 0) return new Map()
        const texts = await redis.mget(keyIds.map(useName))
        const used = keyIds.map((keyId, at) => [keyId, texts[at]] as const)
        return new Map(
          used.flatMap(([keyId, text]) => (text ? [[keyId, JSON.parse(text) as KeyUse]] : []))
        )
      })
  }
}

/** Of nothing here anybody depends: what cannot be read is not known, whatever the reason. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    return null
  }
}

type Pipeline = ReturnType<Redis['pipeline']>

async function answersOf(
  redis: Redis,
  names: readonly string[],
  ask: (pipeline: Pipeline, name: string) => unknown
): Promise<readonly unknown[]> {
  const pipeline = redis.pipeline()
  for (const name of names) ask(pipeline, name)
  const answers = (await pipeline.exec()) ?? []
  return answers.map(([error, answer]) => {
    if (error !== null) throw error
    return answer
  })
}

function hoursSince(from: number, to: number): number[] {
  const first = hourOf(from)
  return Array.from({ length: Math.max(0, hourOf(to) - first + 1) }, (_, at) => first + at)
}

type Counted = readonly (readonly [what: string, count: number])[]

function namedCounts(whats: readonly string[], counts: readonly (string | null)[]): Counted {
  return whats.flatMap((what, at) => (counts[at] ? [[what, Number(counts[at])] as const] : []))
}

/** One walk through all fields, in turns: an organization may have 2,000 in each hour. */
async function keyCountsOf(
  keyIds: readonly string[],
  hashes: readonly Record<string, string>[]
): Promise<ReadonlyMap<string, KeyCounts>> {
  const found = new Map(keyIds.map((keyId) => [keyId, [] as [string, number][]]))
  for (const fields of hashes) {
    await yieldTurn()
    for (const [field, count] of Object.entries(fields)) {
      const end = field.indexOf(' ')
      found.get(field.slice(0, end))?.push([field.slice(end + 1), Number(count)])
    }
  }
  return new Map([...found].map(([keyId, counts]) => [keyId, countsOf(counts)]))
}

function countsOf(found: Counted): KeyCounts {
  const taken = found.filter(([what]) => what === accepted)
  const { rejected, dropped } = splitOf(found.filter(([what]) => what !== accepted))
  return {
    accepted: sumOf(taken),
    rejected: sumOf(rejected),
    rejected_by_code: totalsOf(rejected),
    dropped: sumOf(dropped)
  }
}

function ingestionOf(hours: readonly { hour: number; counts: Counted }[]): AgentIngestion {
  const { rejected, dropped } = splitOf(hours.flatMap(({ counts }) => counts))
  return {
    rejected: totalsOf(rejected),
    dropped: totalsOf(dropped),
    hours: hours.flatMap(({ hour, counts }) => {
      const of = splitOf(counts)
      const sums = { rejected: sumOf(of.rejected), dropped: sumOf(of.dropped) }
      return counts.length === 0 ? [] : [{ hour: hour * hourMs, ...sums }]
    })
  }
}

function splitOf(counts: Counted): { rejected: Counted; dropped: Counted } {
  return {
    rejected: counts.filter(([what]) => reasonOf(what) === null),
    dropped: counts.flatMap(([what, count]) => {
      const reason = reasonOf(what)
      return reason === null ? [] : [[reason, count] as const]
    })
  }
}

function sumOf(counts: Counted): number {
  return counts.reduce((sum, [, count]) => sum + count, 0)
}

function totalsOf(counts: Counted): Record<string, number> {
  const byName = Map.groupBy(counts, ([what]) => what)
  return Object.fromEntries([...byName].map(([what, same]) => [what, sumOf(same)]))
}
