/** Reads the usage counters of all gateways from Redis. Returns null instead of 0 while Redis is
 * unavailable.
 */
import type { Clock } from '../core/clock.ts'
import type { Redis } from '../platform/redis/redis.ts'
import type { KeyUse, RejectedAttempt } from './usage.ts'
import { attemptsMax } from './usage-counters.ts'
import { agentDigest, agentsName, attemptsName, fieldOf, hourMs } from './usage-keys.ts'
import { keptSince, useName } from './usage-keys.ts'
import { hoursSince, readKeyCounts, readOutcomes, runPipeline } from './read-outcomes.ts'
import type { OutcomeCounts, KeyOutcomes } from './read-outcomes.ts'
import { splitOf, sumOf } from './split-counts.ts'
import type { Counted } from './split-counts.ts'

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
  /**
   * Returns the counts of the last 24 hours, with an entry for every requested key. The first hour
   * counts in full.
   */
  keyCounts(
    organizationId: string,
    keyIds: readonly string[]
  ): Promise<ReadonlyMap<string, OutcomeCounts> | null>
  /**
   * Returns the counts of all keys.
   * @param starts start of each period in milliseconds since 1970, ascending; the first one is
   * rounded down to the hour
   * @param to end of the last period
   */
  outcomes(
    organizationId: string,
    starts: readonly number[],
    to: number
  ): Promise<KeyOutcomes | null>
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
  /** Returns an entry for each of these keys that was used for ingest in the last 7 days. */
  keyUse(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse> | null>
}

interface ReadUsageDependencies {
  readonly redis: Redis
  readonly clock: Clock
  /** Names of an agent's counters: problem codes and `dropped.<reason>`. */
  readonly counted: readonly string[]
}

export function createReadUsage({ redis, clock, counted }: ReadUsageDependencies): ReadUsage {
  return {
    keyCounts: (organizationId, keyIds) =>
      orNull(() => readKeyCounts(redis, organizationId, { keyIds, now: clock.now() })),

    outcomes: (organizationId, starts, to) =>
      orNull(() => readOutcomes(redis, organizationId, { starts, to, now: clock.now() })),

    attempts: (organizationId) =>
      orNull(async () => {
        const name = attemptsName(organizationId)
        const texts = await redis.zrange(name, -attemptsMax, '-1')
        return texts.toReversed().map((text) => JSON.parse(text) as RejectedAttempt)
      }),

    agentIngestion: (organizationId, agentId, since) =>
      orNull(async () => {
        const now = clock.now()
        const hours = hoursSince(Math.max(since, keptSince(now)), now)
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

function namedCounts(whats: readonly string[], counts: readonly (string | null)[]): Counted {
  return whats.flatMap((what, at) => (counts[at] ? [[what, Number(counts[at])] as const] : []))
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

function totalsOf(counts: Counted): Record<string, number> {
  const byName = Map.groupBy(counts, ([what]) => what)
  return Object.fromEntries([...byName].map(([what, same]) => [what, sumOf(same)]))
}
