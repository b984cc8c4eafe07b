/** Updates the hourly sums of outcomes and scores when rows are stored or erased. */
import type { CountedScore, DecisionOutcome } from '../core/evaluation/decision-outcome.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/** Columns of an outcome that the hourly sums use. */
export interface SummedOutcome extends Pick<DecisionOutcome, 'verdict' | 'counted'> {
  readonly organization_id: string
  readonly received_at: Date
  readonly agent_id: string | null
  readonly domain: string | null
  readonly status: string
}

/** Outcomes to add to the sums, and outcomes to subtract. */
export interface OutcomeChanges {
  readonly added: readonly SummedOutcome[]
  readonly removed: readonly SummedOutcome[]
}

/** Updates one table after the other, in key order, so that transactions cannot deadlock. */
export async function changeOutcomeHours(
  transaction: Queryable,
  { added, removed }: OutcomeChanges
): Promise<void> {
  const outcomes: Counts = new Map()
  const scores: Counts = new Map()
  for (const outcome of added) count(outcome, 1, { outcomes, scores })
  for (const outcome of removed) count(outcome, -1, { outcomes, scores })
  await changeSums(transaction, outcomeHours, outcomes)
  await changeSums(transaction, scoreHours, scores)
}

/** Column values, in the order of the columns. */
type Values = readonly (string | number | boolean | null)[]

interface Counted {
  readonly values: Values
  /** Change of the count; can be negative. */
  n: number
}

/**
 * Changes of counts, by key. There are few keys, because most decisions of an hour have equal
 * values.
 */
type Counts = Map<string, Counted>

const hourMs = 3_600_000

function count(
  outcome: SummedOutcome,
  by: 1 | -1,
  { outcomes, scores }: { outcomes: Counts; scores: Counts }
): void {
  const place = placeOf(outcome)
  const key = keyOf(place)
  const add = (counts: Counts, own: Values): void => {
    const name = `${key}\u0000${keyOf(own)}`
    const counted = counts.get(name)
    if (counted === undefined) counts.set(name, { values: [...place, ...own], n: by })
    else counted.n += by
  }
  add(outcomes, [outcome.status, outcome.verdict])
  for (const score of outcome.counted) add(scores, valuesOf(score))
}

/**
 * Joins values to a key. The separator is unambiguous, because Postgres text cannot contain U+0000.
 */
function keyOf(values: Values): string {
  return values.join('\u0000')
}

function placeOf({ organization_id, received_at, agent_id, domain }: SummedOutcome): Values {
  const hour = Math.floor(received_at.getTime() / hourMs) * hourMs
  return [organization_id, hour, agent_id ?? '', domain ?? '']
}

function valuesOf(score: CountedScore): Values {
  const { name, source_kind, evaluator_id, evaluator_version, value, passed } = score
  return [name, source_kind, evaluator_id, evaluator_version, value, passed]
}

interface SumsTable {
  /** Column types of the values, without the count `n`. */
  readonly types: readonly string[]
  /** SQL that updates the sums and returns the keys of rows that are now empty. */
  readonly change: string
  readonly deleteEmpty: string
}

const placeColumns = ['organization_id', 'hour', 'agent_id', 'domain']
const placeTypes = ['uuid', 'timestamptz', 'text', 'text']

const outcomeHours = sumsTable({
  table: 'outcome_hours',
  keys: [...placeColumns, 'status', 'verdict'],
  types: [...placeTypes, 'text', 'text'],
  sums: [['decisions', 'sum(n)']]
})

/** Sums use numeric, which is exact, so subtracting a value restores the previous sum. */
const scoreHours = sumsTable({
  table: 'score_hours',
  keys: [...placeColumns, 'name', 'source_kind', 'evaluator_id', 'evaluator_version'],
  types: [...placeTypes, 'text', 'text', 'text', 'integer', 'float8', 'boolean'],
  sums: [
    ['scores', 'sum(n)'],
    ['valued', 'coalesce(sum(n) filter (where value is not null), 0)'],
    ['value_sum', 'coalesce(sum(n * value::numeric), 0)'],
    ['value_squares', 'coalesce(sum(n * value::numeric * value::numeric), 0)'],
    ['judged', 'coalesce(sum(n) filter (where passed is not null), 0)'],
    ['passed', 'coalesce(sum(n) filter (where passed), 0)']
  ]
})

interface SumsTableParts {
  readonly table: string
  readonly keys: readonly string[]
  /** Column types of the keys, and of `value` and `passed` if the table sums them. */
  readonly types: readonly string[]
  readonly sums: readonly (readonly [name: string, sum: string])[]
}

function sumsTable({ table, keys, types, sums }: SumsTableParts): SumsTable {
  const key = keys.join(', ')
  const names = sums.map(([name]) => name)
  const [count = ''] = names
  const given = [...keys, 'value', 'passed'].slice(0, types.length)
  const arrays = [...types, 'integer'].map((type, index) => `$${index + 1}::${type}[]`)
  const keyArrays = arrays.slice(0, keys.length)
  return {
    types,
    change: `
      with changed as (
        insert into ${table} as h (${key}, ${names.join(', ')})
        select ${key}, ${sums.map(([, sum]) => sum).join(', ')}
          from unnest(${arrays.join(', ')}) as given (${given.join(', ')}, n)
         group by ${key}
         order by ${key}
        on conflict (${key}) do update
           set ${names.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}
        returning ${key}, ${count}
      )
      select ${key} from changed where ${count} <= 0`,
    deleteEmpty: `
      delete from ${table} h
       using unnest(${keyArrays.join(', ')}) as empty (${key})
       where ${keys.map((name) => `h.${name} = empty.${name}`).join(' and ')}
         and h.${count} <= 0`
  }
}

async function changeSums(
  transaction: Queryable,
  { types, change, deleteEmpty }: SumsTable,
  counts: Counts
): Promise<void> {
  // Adding and removing the same outcome changes nothing.
  const changed = [...counts.values()].filter(({ n }) => n !== 0)
  if (changed.length === 0) return
  const columns = types.map((type, index) =>
    changed.map(({ values }) => (type === 'timestamptz' ? dateOf(values[index]) : values[index]))
  )
  const empty = await transaction.query<Row>(change, [...columns, changed.map(({ n }) => n)])
  const [first] = empty
  if (first === undefined) return
  const keys = Object.keys(first)
  await transaction.query(
    deleteEmpty,
    keys.map((name) => empty.map((row) => row[name]))
  )
}

function dateOf(ms: Values[number] | undefined): Date {
  return new Date(Number(ms))
}
