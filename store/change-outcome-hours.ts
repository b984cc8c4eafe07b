/** Changes the sums of outcomes and of scores, by what is stored and by what is erased alike. */
import type { CountedScore, DecisionOutcome } from '../core/evaluation/decision-outcome.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/** A row of decision_outcomes, as far as it is summed. */
export interface SummedOutcome extends Pick<DecisionOutcome, 'verdict' | 'counted'> {
  readonly organization_id: string
  readonly received_at: Date
  readonly agent_id: string | null
  readonly domain: string | null
  readonly status: string
}

/** What is to be in the sums from now on, and what is no longer. */
export interface OutcomeChanges {
  readonly added: readonly SummedOutcome[]
  readonly removed: readonly SummedOutcome[]
}

/** In the order of the keys, and one table after the other, so that nobody deadlocks. */
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

/** Values of columns, in their order. */
type Values = readonly (string | number | boolean | null)[]

interface Counted {
  readonly values: Values
  /** How many more of them there are now; fewer when it is below 0. */
  n: number
}

/** By their values: most decisions of an hour come to the same. */
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

/** The separator is unambiguous because texts of Postgres cannot contain U+0000. */
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
  /** Types of the values; `n` comes behind them. */
  readonly types: readonly string[]
  /** Changes the sums; the rows of which nothing is left are its answer. */
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

/** Exact: what is taken off again leaves what was there before it. */
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
  /** Of the keys, and of `value` and `passed` where they are summed. */
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
  // What is added and removed alike is no change.
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
