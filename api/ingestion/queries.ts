/** Reads the outcomes of ingestion and the last rejected requests from the usage counters. */
import type { Static, TObject } from '../../http/schema.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { keptSince, otherOwners } from '../../usage/usage-keys.ts'
import type { Services } from '../services.ts'
import { bucketParameters, hourRangeOf, periodParameters, readBuckets } from '../stats/query.ts'
import type { OrganizationStore } from '../store.ts'
import type { IngestionOutcomes } from './schemas.ts'

export const keysMax = 100
export const outcomeParameters = { ...periodParameters, ...bucketParameters }

type OutcomeTexts = Static<TObject<typeof outcomeParameters>>
type Usage = Pick<Services, 'readUsage' | 'clock'>

/** @throws {Problem} 422 for invalid parameters */
export async function readOutcomes(
  ours: OrganizationStore,
  { readUsage, clock }: Usage,
  texts: OutcomeTexts
): Promise<IngestionOutcomes> {
  const range = hourRangeOf(texts, clock.now())
  const since = Math.min(range.to, Math.max(range.from, keptSince(clock.now())))
  const { interval, every, starts } = readBuckets({ ...range, from: since }, texts)
  // The first point may start before the range, but earlier hours must not count.
  const counted = [since, ...starts.slice(1)]
  const found = await readUsage.outcomes(ours.organizationId, counted, range.to)
  const applied = { from: new Date(range.from), to: new Date(range.to), interval, every }
  const meta = { applied: { ...applied, tz: texts.tz } }
  if (found === null) return { outcomes: null, meta }
  const { total, keys, periods } = found
  const points = periods.flatMap((counts, index) => {
    const start = starts[index]
    return start === undefined ? [] : [{ t: new Date(start), ...counts }]
  })
  const outcomes = {
    since: new Date(since),
    ...total,
    keys: await namedKeys(ours, keys),
    keys_total: keys.size,
    points
  }
  return { outcomes, meta }
}

type Counts = NonNullable<IngestionOutcomes['outcomes']>

/** Returns the counts of the keys with the most decisions. */
async function namedKeys(
  ours: OrganizationStore,
  keys: ReadonlyMap<string, Omit<Counts['keys'][number], 'key_id' | 'key_name'>>
): Promise<Counts['keys']> {
  const busiest = [...keys]
    .toSorted(([, a], [, b]) => b.accepted + b.rejected - (a.accepted + a.rejected))
    .slice(0, keysMax)
  const names = await readKeyNames(
    ours,
    busiest.map(([keyId]) => keyId)
  )
  return busiest.map(([keyId, counts]) => ({
    key_id: keyId === otherOwners ? null : keyId,
    key_name: names.get(keyId) ?? null,
    ...counts
  }))
}

/** Returns the last rejected requests, newest first; null while Redis is unavailable. */
export async function readRejections(ours: OrganizationStore, { readUsage }: Usage) {
  const attempts = await readUsage.attempts(ours.organizationId)
  if (attempts === null) return null
  const names = await readKeyNames(
    ours,
    attempts.map(({ key_id }) => key_id)
  )
  return attempts.map(({ at, ...attempt }) => ({
    ...attempt,
    at: new Date(at),
    key_name: names.get(attempt.key_id) ?? null
  }))
}

async function readKeyNames(
  ours: OrganizationStore,
  keyIds: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ key_id: string; name: string }>(
    ours,
    sql`select key_id, name
          from api_keys
         where organization_id = ${ours.organizationId} and key_id = any (${keyIds}::text[])`
  )
  return new Map(rows.map(({ key_id, name }) => [key_id, name]))
}
