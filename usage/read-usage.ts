/** Reads the usage counters of all gateways from Redis. Returns null instead of 0 while Redis is
 * unavailable.
 */
import type { Clock } from '../core/clock.ts'
import { yieldToEventLoop } from '../platform/process/yield-to-event-loop.ts'
import type { Redis } from '../platform/redis/redis.ts'
import type { KeyUse, RejectedAttempt } from './usage.ts'
import { attemptsMax } from './usage-counters.ts'
import { accepted, agentDigest, agentsName, attemptsName, fieldOf, hourMs } from './usage-keys.ts'
import { hourOf, keptSeconds, keysName, reasonOf, useName } from './usage-keys.ts'

/** Decisions sent with a key in the last 24 hours. The first hour counts in full. */
export interface KeyIngestion {
  readonly accepted: number
  readonly rejected: number
  readonly rejected_by_code: Readonly<Record<string, number>>
  /** Decisions that SDKs reported as dropped before sending. */
  readonly dropped: number
}

interface AgentIngestion {
  /** Rejected decisions by problem code. */
  readonly rejected: Readonly<Record<string, number>>
  /** Decisions dropped by SDKs, by reason. */
  readonly dropped: Readonly<Record<string, number>>
  /** Hours with rejected or dropped decisions, oldest first. */
  readonly hours: readonly AgentIngestionHour[]
}

interface AgentIngestionHour {
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number
  readonly rejected: number
  readonly dropped: number
}

/** Reads usage counters. Counts appear within seconds and are kept for 7 days. */
export interface ReadUsage {
  /** Returns an entry for every requested key. */
  keyCounts(
    organizationId: string,
    keyIds: readonly string[]
  ): Promise<ReadonlyMap<string, KeyIngestion> | null>
  /** Returns the latest rejected attempts, newest first. */
  attempts(organizationId: string): Promise<readonly RejectedAttempt[] | null>
  /**
   * Returns the rejected and dropped decisions of an agent.
   * @param agentId empty for decisions without an agent
   * @param since milliseconds since 1970, rounded down to the hour
   */
  agentIngestion(
    organizationId: string,
    agentId: string,
    since: number
  ): Promise<AgentIngestion | null>
  /** Returns an entry for each key that has been used for ingest in the last 7 days. */
  keyUse(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse> | null>
}

interface ReadUsageDependencies {
  readonly redis: Redis
  readonly clock: Clock
  /** Names of an agent's counters: problem codes and `dropped.<reason>`. */
  readonly counted: readonly string[]
}

const dayHours = 24

export function createReadUsage({ redis, clock, counted }: ReadUsageDependencies): ReadUsage {
  return {
    keyCounts: (organizationId, keyIds) =>
      orNull(async () => {
        const hours = hoursSince(clock.now() - dayHours * hourMs, clock.now())
        const names = hours.map((hour) => keysName(organizationId, hour))
        const hashes = (await runPipeline(redis, names, (pipeline, name) =>
          pipeline.hgetall(name)
        )) as readonly Record<string, string>[]
        return await keyCountsOf(keyIds, hashes)
      }),

    attempts: (organizationId) =>
      orNull(async () => {
        const name = attemptsName(organizationId)
        const texts = await redis.zrange(name, -attemptsMax, '-1')
        return texts.toReversed().map((text) => JSON.parse(text) as RejectedAttempt)
      }),

    agentIngestion: (organizationId, agentId, since) =>
      orNull(async () => {
        const now = clock.now()
        const hours = hoursSince(Math.max(since, now - keptSeconds * 1000), now)
        const fields = counted.map((what) => fieldOf(agentDigest(agentId), what))
        const names = hours.map((hour) => agentsName(organizationId, hour))
        const counts = (await runPipeline(redis, names, (pipeline, name) =>
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

/** Returns null on any failure, because usage is informational. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    return null
  }
}

type Pipeline = ReturnType<Redis['pipeline']>

async function runPipeline(
  redis: Redis,
  names: readonly string[],
  add: (pipeline: Pipeline, name: string) => unknown
): Promise<readonly unknown[]> {
  const pipeline = redis.pipeline()
  for (const name of names) add(pipeline, name)
  const results = (await pipeline.exec()) ?? []
  return results.map(([error, result]) => {
    if (error !== null) throw error
    return result
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

/**
 * Reads each field once and yields to the event loop between hours, because an organization can
 * have 2,000 fields per hour.
 */
async function keyCountsOf(
  keyIds: readonly string[],
  hashes: readonly Record<string, string>[]
): Promise<ReadonlyMap<string, KeyIngestion>> {
  const found = new Map(keyIds.map((keyId) => [keyId, [] as [string, number][]]))
  for (const fields of hashes) {
    await yieldToEventLoop()
    for (const [field, count] of Object.entries(fields)) {
      const end = field.indexOf(' ')
      found.get(field.slice(0, end))?.push([field.slice(end + 1), Number(count)])
    }
  }
  return new Map([...found].map(([keyId, counts]) => [keyId, countsOf(counts)]))
}

function countsOf(found: Counted): KeyIngestion {
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
