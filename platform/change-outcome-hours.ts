/** Changes the sums of outcomes and of scores, by what is stored and by what is erased alike. */
import type { CountedScore, DecisionOutcome } from '../core/decision-outcome.ts'
import type { Queryable, Row } from './postgres.ts'

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
  changes: OutcomeChanges
): Promise<void> {
  await changeSums(
    transaction,
    outcomeHours,
    countOf(changes, (outcome) => [keyOf(outcome)])
  )
  await changeSums(transaction, scoreHours, countOf(changes, scoresOf))
}

/** Values of columns, in their order. */
type Values = readonly (string | number | boolean | Date | null)[]

const hourMs = 3_600_000

function placeOf({ organization_id, received_at, agent_id, domain }: SummedOutcome): Values {
  const hour = new Date(Math.floor(received_at.getTime() / hourMs) * hourMs)
  return [organization_id, hour, agent_id ?? '', domain ?? '']
}

function keyOf(outcome: SummedOutcome): Values {
  return [...placeOf(outcome), outcome.status, outcome.verdict]
}

function scoresOf(outcome: SummedOutcome): Values[] {
  const place = placeOf(outcome)
  return outcome.counted.map((score) => [...place, ...scoreValuesOf(score)])
}

function scoreValuesOf(score: CountedScore): Values {
  const { name, source_kind, evaluator_id, evaluator_version, value, passed } = score
  return [name, source_kind, evaluator_id, evaluator_version, value, passed]
}

interface Counted {
  readonly values: Values
  /** How many more of them there are now; fewer when it is below 0. */
  readonly n: number
}

/** What is added and removed alike is no change. */
function countOf(
  { added, removed }: OutcomeChanges,
  valuesOf: (outcome: SummedOutcome) => readonly Values[]
): readonly Counted[] {
  const counts = new Map<string, Counted>()
  const count = (values: Values, by: 1 | -1): void => {
    const key = JSON.stringify(values)
    counts.set(key, { values, n: (counts.get(key)?.n ?? 0) + by })
  }
  for (const values of added.flatMap(valuesOf)) count(values, 1)
  for (const values of removed.flatMap(valuesOf)) count(values, -1)
  return [...counts.values()].filter(({ n }) => n !== 0)
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
  counts: readonly Counted[]
): Promise<void> {
  if (counts.length === 0) return
  const columns = types.map((_, index) => counts.map(({ values }) => values[index]))
  const empty = await transaction.query<Row>(change, [...columns, counts.map(({ n }) => n)])
  const [first] = empty
  if (first === undefined) return
  const keys = Object.keys(first)
  await transaction.query(
    deleteEmpty,
    keys.map((name) => empty.map((row) => row[name]))
  )
}
