/** Sums by group and interval of time, from the tables that are kept by the hour. */
import type { OrganizationStore } from '../store.ts'
import type { GroupName, SumSource } from './sum-sources.ts'
import { sumRowsOf } from './sum-rows.ts'
import type { StoredSeries, SumRow } from './sum-rows.ts'

export interface SumFilters {
  /** Empty is the decisions that name none. */
  readonly agentId?: string | undefined
  readonly agentIds?: readonly string[] | undefined
  readonly domain?: string | undefined
  /** Of scores. */
  readonly names?: readonly string[] | undefined
}

export interface SumQuery {
  readonly groups: readonly GroupName[]
  readonly filters: SumFilters
  /** Milliseconds: hours from here on are looked at. */
  readonly from: number
  readonly to: number
  /** Where intervals begin; what lies before the first of them has the bucket 0. */
  readonly starts: readonly number[]
}

export interface SelectSumsQuery extends SumQuery {
  /** Keys of groups; the others are added up. Without it: each for itself. */
  readonly wanted?: readonly string[] | null
  /** Series are told apart by key and identity; beyond so many, the smallest are left out. */
  readonly seriesMax: number
  /** Names of those that are needed: each of them takes time. Without it: all. */
  readonly sums?: readonly string[]
}

export async function selectSums(
  store: OrganizationStore,
  source: SumSource,
  query: SelectSumsQuery
): Promise<readonly SumRow[]> {
  const values: unknown[] = [store.organizationId]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const wanted = parameter(query.wanted ?? null)
  const names = namesOf(source, query)
  const statement = sumsStatement(source, query, {
    ...{ parameter, names, ranked: '' },
    key: `case when ${wanted}::text[] is null or key = any(${wanted}) then key end`
  })
  return sumRowsOf(await store.query<StoredSeries>(statement, values), names)
}

export interface TopSums {
  readonly rows: readonly SumRow[]
  readonly top: TopGroups
}

/** The same, and which groups are the largest: those that are not are added up. */
export async function selectTopSums(
  store: OrganizationStore,
  source: SumSource,
  query: Omit<SelectSumsQuery, 'seriesMax' | 'wanted'> & { readonly groupsMax: number }
): Promise<TopSums> {
  const { groupsMax } = query
  const values: unknown[] = [store.organizationId]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const names = namesOf(source, query)
  const statement = sumsStatement(
    source,
    { ...query, seriesMax: groupsMax + 1 },
    {
      ...{ parameter, names },
      ranked: `, sized as (
       select key, sum(${source.size}) as size from keyed where c1 > 0 group by key
     ), ranked as (
       select key, row_number() over (order by size desc, key) as place, count(*) over () as total
         from sized where size > 0
     )`,
      key: `case when place <= ${groupsMax} then key end`
    }
  )
  const series = await store.query<StoredSeries & { place: number | null; total: number | null }>(
    statement,
    values
  )
  const places = new Map(series.map(({ key, place }) => [key, place ?? 0]))
  places.delete(null)
  const keys = [...places].toSorted(([, left], [, right]) => left - right).map(([key]) => key ?? '')
  const total = Math.max(0, ...series.map((each) => each.total ?? 0))
  return { rows: await sumRowsOf(series, names), top: { keys, total } }
}

function namesOf(source: SumSource, { sums }: Pick<SelectSumsQuery, 'sums'>): readonly string[] {
  const all = Object.keys(source.sums)
  return all.filter((name) => name === source.size || (sums ?? all).includes(name))
}

interface Shown {
  readonly parameter: (value: unknown) => string
  /** Of the sums. */
  readonly names: readonly string[]
  /** A table of the places of groups; or nothing. */
  readonly ranked: string
  /** Null for what is added up. */
  readonly key: string
}

function sumsStatement(
  source: SumSource,
  query: SelectSumsQuery,
  { parameter, names, ranked, key }: Shown
): string {
  const starts = query.starts.map((start) => new Date(start).toISOString())
  const bucket = `width_bucket(h.hour, ${parameter(starts)}::timestamptz[])`
  const identity = source.identity ?? []
  const inner = groupedSums(source, query, { parameter, names, columns: [bucket, ...identity] })
  const shown = identity.map((_, index) => `c${index + 2}`).join(', ')
  const places = ranked === '' ? '' : 'min(place) as place, max(total) as total,'
  return `with ${inner}, keyed as (
       select ${keyOf(query.groups)} as key, grouped.*
         from grouped
     )${ranked}, summed as (
       select ${key} as key, json_build_array(${shown})::text collate "C" as identity,
              c1 as bucket, ${places}
              ${names.map((name) => `sum(${name}) as ${name}`).join(', ')}
         from keyed ${ranked === '' ? '' : 'left join ranked using (key)'}
        group by 1, 2, 3
     ), series as (
       select key, identity, ${places}
              json_agg(json_build_array(bucket, ${names.map(floatOf).join(', ')})
                       order by bucket)::text as points
         from summed
        group by key, identity
        order by sum(${source.size}) desc, key, identity
        limit ${parameter(query.seriesMax)}
     )
     select * from series order by key, identity`
}

/** A number of JavaScript: the sums are exact, and may be larger than one can be. */
export function floatOf(sum: string): string {
  // Null is not the least of two: it is left out.
  return `case when ${sum} is not null then greatest(-1e308, least(1e308, ${sum})) end::float8`
}

export interface TopGroups {
  /** The largest first. */
  readonly keys: readonly string[]
  readonly total: number
}

/** @param query of the time that is asked for alone */
export async function selectTopGroups(
  store: OrganizationStore,
  source: SumSource,
  { groupsMax, ...query }: Omit<SumQuery, 'starts'> & { readonly groupsMax: number }
): Promise<TopGroups> {
  const values: unknown[] = [store.organizationId]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const inner = groupedSums(source, query, { parameter, names: [source.size], columns: [] })
  const rows = await store.query<{ key: string; total: number }>(
    `with ${inner}
     select ${keyOf(query.groups)} as key, count(*) over () as total
       from grouped
      where ${source.size} > 0
      order by ${source.size} desc, 1
      limit ${groupsMax}`,
    values
  )
  return { keys: rows.map(({ key }) => key), total: rows[0]?.total ?? 0 }
}

interface Columns {
  readonly parameter: (value: unknown) => string
  /** Of the sums. */
  readonly names: readonly string[]
  /** Beside the groups; called c1 and so on. */
  readonly columns: readonly string[]
}

/**
 * The table `grouped`, with what stands before it. Its groups are called g1 and so on: a key of
 * JSON is made once for each, not for each row.
 */
export function groupedSums(
  source: SumSource,
  query: Omit<SumQuery, 'starts'>,
  { parameter, names, columns }: Columns
): string {
  const conditions = conditionsOf(query, parameter).join('\n          and ')
  const before = source.before?.(conditions, columns[0] ?? '')
  const summed = before === undefined ? columns : ['h.bucket', ...columns.slice(1)]
  // Byte by byte: nobody sees this order, and that of a language takes much longer.
  const groups = query.groups.map(
    (name, index) => `(${source.groups[name]}) collate "C" as g${index + 1}`
  )
  const others = summed.map((column, index) => `${column} as c${index + 1}`)
  const by = [...groups, ...others]
  const sums = names.map((name) => `${source.sums[name]} as ${name}`)
  const places = by.map((_, index) => index + 1).join(', ')
  return `${before === undefined ? '' : `${before}, `}grouped as (
       select ${[...by, ...sums].join(', ')}
         from ${source.rows}
        ${before === undefined ? `where ${conditions}` : ''}
        ${places === '' ? '' : `group by ${places}`}
     )`
}

function conditionsOf(
  { filters, from, to }: Omit<SumQuery, 'starts'>,
  parameter: (value: unknown) => string
): readonly string[] {
  const { agentId, agentIds, domain, names } = filters
  return [
    'h.organization_id = $1',
    `h.hour >= ${parameter(new Date(from).toISOString())}::timestamptz`,
    `h.hour < ${parameter(new Date(to).toISOString())}::timestamptz`,
    ...(agentId === undefined ? [] : [`h.agent_id = ${parameter(agentId)}`]),
    ...(agentIds === undefined ? [] : [`h.agent_id = any(${parameter(agentIds)})`]),
    ...(domain === undefined ? [] : [`h.domain = ${parameter(domain)}`]),
    ...(names === undefined ? [] : [`h.name = any(${parameter(names)})`])
  ]
}

/** Compared byte by byte, as the groups are. */
function keyOf(groups: readonly GroupName[]): string {
  const names = groups.map((_, index) => `g${index + 1}`)
  return `json_build_array(${names.join(', ')})::text collate "C"`
}
