/** Reads the outcomes of an organization's decisions by API key and by time from Redis. */
import type { Redis } from '../platform/redis/redis.ts'
import { yieldToEventLoop } from '../platform/process/yield-to-event-loop.ts'
import { splitOf, sumOf } from './split-counts.ts'
import { accepted, hourMs, hourOf, keptSince, keysName } from './usage-keys.ts'

/** Decisions sent with one or several keys. */
export interface OutcomeCounts {
  readonly accepted: number
  readonly rejected: number
  readonly rejected_by_code: Readonly<Record<string, number>>
  /** Decisions that SDKs reported as dropped before sending, by reason. */
  readonly dropped: Readonly<Record<string, number>>
}

export interface KeyOutcomes {
  readonly total: OutcomeCounts
  /** Counts by key ID. Keys beyond the limit of an hour share the ID `other`. */
  readonly keys: ReadonlyMap<string, OutcomeCounts>
  /** Counts from each start to the next one. */
  readonly periods: readonly OutcomeCounts[]
}

const dayHours = 24

export async function readKeyCounts(
  redis: Redis,
  organizationId: string,
  { keyIds, now }: { readonly keyIds: readonly string[]; readonly now: number }
): Promise<ReadonlyMap<string, OutcomeCounts>> {
  const hours = hoursSince(now - dayHours * hourMs, now)
  const tallies = new Map(keyIds.map((keyId) => [keyId, createTally()]))
  for await (const { counts } of readHours(redis, organizationId, hours)) {
    for (const [keyId, what, count] of counts) addTo(tallies.get(keyId), what, count)
  }
  return countsByName(tallies)
}

interface Periods {
  readonly starts: readonly number[]
  readonly to: number
  readonly now: number
}

export async function readOutcomes(
  redis: Redis,
  organizationId: string,
  { starts, to, now }: Periods
): Promise<KeyOutcomes> {
  const hours = hoursSince(Math.max(starts[0] ?? to, keptSince(now)), Math.min(to - 1, now))
  const total = createTally()
  const keys = new Map<string, Tally>()
  const periods = starts.map(createTally)
  for await (const { hour, counts } of readHours(redis, organizationId, hours)) {
    const period = periods[starts.findLastIndex((start) => start <= hour * hourMs)]
    for (const [keyId, what, count] of counts) {
      const key = keys.get(keyId) ?? createTally()
      keys.set(keyId, key)
      for (const tally of [total, key, period]) addTo(tally, what, count)
    }
  }
  return { total: countsOf(total), keys: countsByName(keys), periods: periods.map(countsOf) }
}

/** Counts by what was counted: `accepted`, a problem code or `dropped.<reason>`. */
type Tally = Map<string, number>

function createTally(): Tally {
  return new Map()
}

interface CountedHour {
  readonly hour: number
  readonly counts: readonly (readonly [keyId: string, what: string, count: number])[]
}

/**
 * Reads the counts of all keys by hour. Reads a day at a time and yields to the event loop between
 * hours, because an organization can have 2,000 fields per hour.
 */
async function* readHours(
  redis: Redis,
  organizationId: string,
  hours: readonly number[]
): AsyncGenerator<CountedHour> {
  for (let at = 0; at < hours.length; at += dayHours) {
    const day = hours.slice(at, at + dayHours)
    const names = day.map((hour) => keysName(organizationId, hour))
    const hashes = (await runPipeline(redis, names, (pipeline, name) =>
      pipeline.hgetall(name)
    )) as readonly Record<string, string>[]
    for (const [index, hour] of day.entries()) {
      await yieldToEventLoop()
      yield { hour, counts: keyCountsOf(hashes[index] ?? {}) }
    }
  }
}

/** Fields without a space are the sequence numbers of writers. */
function keyCountsOf(fields: Readonly<Record<string, string>>): CountedHour['counts'] {
  return Object.entries(fields).flatMap(([field, count]) => {
    const end = field.indexOf(' ')
    return end < 0 ? [] : [[field.slice(0, end), field.slice(end + 1), Number(count)] as const]
  })
}

function addTo(tally: Tally | undefined, what: string, count: number): void {
  tally?.set(what, (tally.get(what) ?? 0) + count)
}

function countsByName(tallies: ReadonlyMap<string, Tally>): Map<string, OutcomeCounts> {
  return new Map([...tallies].map(([name, tally]) => [name, countsOf(tally)]))
}

function countsOf(tally: Tally): OutcomeCounts {
  const { [accepted]: taken = 0, ...others } = Object.fromEntries(tally)
  const { rejected, dropped } = splitOf(Object.entries(others))
  return {
    accepted: taken,
    rejected: sumOf(rejected),
    rejected_by_code: Object.fromEntries(rejected),
    dropped: Object.fromEntries(dropped)
  }
}

type Pipeline = ReturnType<Redis['pipeline']>

export async function runPipeline(
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

export function hoursSince(from: number, to: number): number[] {
  const first = hourOf(from)
  return Array.from({ length: Math.max(0, hourOf(to) - first + 1) }, (_, at) => first + at)
}
