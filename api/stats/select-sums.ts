/** Selects sums by group and time interval from the tables of hourly sums. */
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import type { OrganizationStore } from '../store.ts'
import type { SumGroupName, SumName, SumSource, Sums } from './sum-sources.ts'

interface GroupQuery {
  readonly groups: readonly SumGroupName[]
  readonly filters: {
    /** Empty for decisions without an agent. */
    readonly agentId?: string | undefined
    readonly agentIds?: readonly string[] | undefined
    readonly domain?: string | undefined
    /** Score names. Ignored by sources without scores. */
    readonly names?: readonly string[] | undefined
  }
  /** Start and end of the hours to sum, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

interface SumQuery extends GroupQuery {
  /** Start of each bucket. Hours before the first start are in bucket 0. */
  readonly starts: readonly number[]
  /** Names of the sums to compute. Default: all sums of the source. */
  readonly sums?: readonly SumName[]
}

interface SelectSumsQuery extends SumQuery {
  /**
   * Keys of the groups to return separately. All other groups are combined. Default: all groups are
   * returned separately.
   */
  readonly keys?: readonly string[] | null
  /**
   * Maximum number of series. A series is identified by key and identity. The smallest series are
   * omitted.
   */
  readonly seriesMax: number
}

export async function selectSums(
  store: OrganizationStore,
  source: SumSource,
  { keys = null, ...wanted }: SelectSumsQuery
): Promise<readonly SumRow[]> {
  const key = keys === null ? sql`key` : sql`case when key = any(${keys}) then key end`
  const series = await selectSeries(store, source, { ...wanted, key })
  return sumRowsOf(series, namesOf(source, wanted))
}

/**
 * Selects sums like `selectSums`, but determines the largest groups in the same statement. All
 * other groups are combined.
 * @returns `keys`, the keys of the groups, largest first; `total`, the number of groups; and `rows`
 */
export async function selectTopSums(
  store: OrganizationStore,
  source: SumSource,
  { groupsMax, ...wanted }: SumQuery & { readonly groupsMax: number }
) {
  const series = await selectSeries(store, source, {
    ...wanted,
    seriesMax: groupsMax + 1,
    key: sql`case when place <= ${groupsMax} then key end`,
    ranked: sql`, sized as (
       select key, sum(${raw(source.size)}) as size from keyed where c1 > 0 group by key
     ), ranked as (
       select key, row_number() over (order by size desc, key) as place, count(*) over () as total
         from sized where size > 0
     )`
  })
  const places = new Map(series.map(({ key, place }) => [key, place ?? 0]))
  places.delete(null)
  return {
    keys: [...places].toSorted(([, left], [, right]) => left - right).map(([key]) => key ?? ''),
    total: Math.max(0, ...series.map((each) => each.total ?? 0)),
    rows: await sumRowsOf(series, namesOf(source, wanted))
  }
}

/**
 * Selects the largest groups with their sizes, largest first, and the number of groups.
 * @param wanted must not include the previous range
 */
export function selectTopGroups(
  store: OrganizationStore,
  source: SumSource,
  { groupsMax, ...wanted }: GroupQuery & { readonly groupsMax: number }
) {
  const size = raw(source.size)
  return query<{ readonly key: string; readonly size: number; readonly total: number }>(
    store,
    sql`with ${groupedSums(store, source, { ...wanted, sums: [source.size] })}
        select ${keyOf(wanted.groups)} as key, ${size}::float8 as size, count(*) over () as total
          from grouped
         where ${size} > 0
         order by ${size} desc, 1
         limit ${groupsMax}`
  )
}

/** Returns the names of the sums to compute. They always include the size of a series. */
function namesOf(source: SumSource, { sums }: Pick<SumQuery, 'sums'>): readonly SumName[] {
  const all = Object.keys(source.sums) as SumName[]
  return all.filter((name) => name === source.size || (sums ?? all).includes(name))
}

interface SeriesQuery extends Omit<SelectSumsQuery, 'keys'> {
  /** The group key; null for groups that are combined. */
  readonly key: Sql
  /** Definitions of the tables that rank the groups. Default: groups are not ranked. */
  readonly ranked?: Sql
}

/** A whole series in one row, so that a long key is not repeated for every point. */
type StoredSeries = Pick<SumRow, 'key' | 'identity'> & {
  /** JSON array of `[bucket, sum, …]`. */
  readonly points: string
  /** Rank of the group and total number of groups, if groups are ranked. */
  readonly place?: number | null
  readonly total?: number | null
}

function selectSeries(
  store: OrganizationStore,
  source: SumSource,
  { key, ranked, ...wanted }: SeriesQuery
): Promise<StoredSeries[]> {
  const starts = wanted.starts.map((start) => new Date(start))
  const bucket = sql`width_bucket(h.hour, ${starts}::timestamptz[])`
  const names = namesOf(source, wanted)
  const identity = (source.identity ?? []).map((_, index) => `c${index + 2}`)
  const sums = names.map((name) => `sum(${name}) as ${name}`)
  const places = raw(ranked === undefined ? '' : 'min(place) as place, max(total) as total,')
  return query<StoredSeries>(
    store,
    sql`with ${groupedSums(store, source, { ...wanted, sums: names, bucket })}, keyed as (
       select ${keyOf(wanted.groups)} as key, grouped.*
         from grouped
     )${ranked ?? sql``}, summed as (
       select ${key} as key,
              json_build_array(${raw(identity.join(', '))})::text collate "C" as identity,
              c1 as bucket, ${places}
              ${raw(sums.join(', '))}
         from keyed ${raw(ranked === undefined ? '' : 'left join ranked using (key)')}
        group by 1, 2, 3
     ), series as (
       select key, identity, ${places}
              json_agg(json_build_array(bucket, ${raw(names.map(floatOf).join(', '))})
                       order by bucket)::text as points
         from summed
        group by key, identity
        order by sum(${raw(source.size)}) desc, key, identity
        limit ${wanted.seriesMax}
     )
     select * from series order by key, identity`
  )
}

/** Returns SQL that clamps an exact sum to the range of a JavaScript number. */
export function floatOf(sum: string): string {
  // `least` and `greatest` ignore nulls, so null sums need a separate case.
  return `case when ${sum} is not null then greatest(-1e308, least(1e308, ${sum})) end::float8`
}

interface GroupedQuery extends GroupQuery {
  readonly sums: readonly SumName[]
  /** The bucket of a row `h`. Default: all rows are in bucket 1. */
  readonly bucket?: Sql
}

/**
 * Returns SQL that defines the table `grouped` and the tables it needs. Its group columns are g1,
 * g2 and so on, so that JSON keys are built per group instead of per row. The column c1 is the
 * bucket, and c2 and so on identify a series.
 */
export function groupedSums(
  store: OrganizationStore,
  source: SumSource,
  { sums, bucket = sql`1`, ...wanted }: GroupedQuery
): Sql {
  const { identity = [] } = source
  const conditions = conditionsOf(store, source, wanted)
  const before = source.before?.(conditions, bucket, store.organizationId)
  // Sort in byte order: sorting by locale takes much longer, and the order is not visible to
  // clients.
  const groups = wanted.groups.map(
    (name, index) => `(${source.groups[name]}) collate "C" as g${index + 1}, `
  )
  const others = [
    ...identity.map((column, index) => `${column} as c${index + 2}`),
    ...sums.map((name) => `${source.sums[name]} as ${name}`)
  ]
  const places = Array.from({ length: groups.length + 1 + identity.length }, (_, at) => at + 1)
  return sql`${before ?? sql``} grouped as (
       select ${raw(groups.join(''))} ${before === undefined ? bucket : sql`h.bucket`} as c1,
              ${raw(others.join(', '))}
         from ${raw(source.rows)}
        ${before === undefined ? sql`where ${conditions}` : sql``}
        group by ${raw(places.join(', '))}
     )`
}

function conditionsOf(store: OrganizationStore, source: SumSource, wanted: GroupQuery): Sql {
  const { agentId, agentIds, domain, names } = wanted.filters
  return and([
    sql`h.organization_id = ${store.organizationId}`,
    sql`h.hour >= ${new Date(wanted.from)}`,
    sql`h.hour < ${new Date(wanted.to)}`,
    agentId === undefined ? null : sql`h.agent_id = ${agentId}`,
    agentIds === undefined ? null : sql`h.agent_id = any(${agentIds})`,
    domain === undefined ? null : sql`h.domain = ${domain}`,
    names === undefined || source.identity === undefined ? null : sql`h.name = any(${names})`
  ])
}

/** Returns SQL for the group key, which sorts in byte order. */
function keyOf(groups: readonly SumGroupName[]): Sql {
  const names = groups.map((_, index) => `g${index + 1}`)
  return raw(`json_build_array(${names.join(', ')})::text collate "C"`)
}

export interface SumRow {
  /** JSON array with the value of each group; null for combined groups. */
  readonly key: string | null
  /** JSON array of the values that identify a series in addition to its key. Can be empty. */
  readonly identity: string
  /** Number of the bucket, from 1. Bucket 0 contains everything before the first start. */
  readonly bucket: number
  readonly sums: Sums
}

/** Converts series to one row per bucket. */
async function sumRowsOf(
  series: readonly StoredSeries[],
  names: readonly SumName[]
): Promise<readonly SumRow[]> {
  const rows: SumRow[] = []
  for (const { key, identity, points } of series) {
    await yieldToEventLoop()
    for (const [bucket = 0, ...values] of JSON.parse(points) as number[][]) {
      const sums: Partial<Record<SumName, number>> = {}
      names.forEach((name, index) => (sums[name] = values[index] as number))
      rows.push({ key, identity, bucket, sums })
    }
  }
  return rows
}
