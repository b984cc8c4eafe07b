/** Filters as SQL: the decision is `s`, its evaluation `o`, its plan `p`, the organization $1. */
import { agentIdOf } from '../../profiles/agent-name.ts'
import { measures } from './decision-query.ts'
import type { DecisionFilters, Measure } from './decision-query.ts'
import type { ScoreCondition } from './score-condition.ts'
import { searchCondition } from './search-words.ts'

/** Takes a value, answers the place of it in the statement. */
export type Parameter = (value: unknown) => string

export const measureSql: Readonly<Record<Measure, string>> = {
  input_tokens: 's.input_tokens',
  output_tokens: 's.output_tokens',
  total_tokens: `case when num_nonnulls(s.input_tokens, s.output_tokens) > 0
                 then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) end`,
  latency_ms: 's.latency_ms'
}

type RowFilters = Omit<DecisionFilters, 'status' | 'verdict' | 'score'>

export function rowConditions(filters: RowFilters, parameter: Parameter): readonly string[] {
  return [
    ...placeConditions(filters, parameter),
    ...factConditions(filters, parameter),
    ...measureConditions(filters, parameter),
    ...(filters.q === undefined ? [] : searchCondition(filters.q, parameter))
  ]
}

function placeConditions(filters: RowFilters, parameter: Parameter): readonly string[] {
  const { agent_id, session_id, domain } = filters
  const conditions: string[] = []
  if (agent_id !== undefined) {
    const id = agentIdOf(agent_id)
    conditions.push(id === '' ? 's.agent_id is null' : `s.agent_id = ${parameter(id)}`)
  }
  if (session_id !== undefined) conditions.push(`s.session_id = ${parameter(session_id)}`)
  if (domain !== undefined) conditions.push(`s.domain = any(${parameter(domain)}::text[])`)
  return conditions
}

function factConditions(filters: RowFilters, parameter: Parameter): readonly string[] {
  const { metadata, is_error } = filters
  const texts = (['model', 'agent_version', 'sdk_version'] as const).flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [`s.${name} = ${parameter(value)}`]
  })
  const labels = Object.entries(metadata ?? {}).map(([name, text]) => `${name}=${text}`)
  return [
    ...texts,
    ...(labels.length === 0 ? [] : [`s.labels @> ${parameter(labels)}::text[]`]),
    ...(is_error === undefined ? [] : [`s.is_error = ${parameter(is_error)}`])
  ]
}

function measureConditions(filters: RowFilters, parameter: Parameter): readonly string[] {
  return measures.flatMap((name) => {
    const least = filters[`min_${name}`]
    const greatest = filters[`max_${name}`]
    const column = measureSql[name]
    return [
      ...(least === undefined ? [] : [`${column} >= ${parameter(least)}::float8`]),
      ...(greatest === undefined ? [] : [`${column} <= ${parameter(greatest)}::float8`])
    ]
  })
}

export function outcomeConditions(
  { status, verdict, score = [] }: DecisionFilters,
  parameter: Parameter
): readonly string[] {
  return [
    ...(status === undefined ? [] : [`${statusSql(status)} = any(${parameter(status)}::text[])`]),
    ...(verdict === undefined
      ? []
      : [`coalesce(o.verdict, 'none') = any(${parameter(verdict)}::text[])`]),
    ...score.map((condition) => scoreSql(condition, parameter))
  ]
}

/** Before a run is stored there is no outcome, and the plan says what is to be expected. */
export function needsPlan({ status = [] }: DecisionFilters): boolean {
  return status.includes('pending') || status.includes('not_evaluated')
}

function statusSql(status: NonNullable<DecisionFilters['status']>): string {
  return needsPlan({ status })
    ? `coalesce(o.status, case when p.runs = 0 then 'not_evaluated' else 'pending' end)`
    : 'o.status'
}

/**
 * The effective score of a name, as JSON `{value, label, passed}`. A packed score has the place of
 * its kind in the arrays; the kinds with the name are looked up once for the statement.
 */
function scoreSqlOf(name: string): string {
  return `case when o.scores is null then (
                  select jsonb_build_object('value', o.score_values[place],
                                            'label', o.labels[place], 'passed', o.passed[place])
                    from unnest((select array_agg(k.run_kind) from run_kinds k
                                  where k.organization_id = $1 and k.name = ${name}::text)) as kind
                   cross join array_position(o.run_kinds, kind) as place
                   where place is not null
                   limit 1)
                else o.scores -> ${name}::text end`
}

/** The value of a score as a number; null if it has none. */
export function scoreValueSql(name: string): string {
  return `(select case when jsonb_typeof(score.of -> 'value') = 'number'
                       then (score.of ->> 'value')::float8 end
             from (select ${scoreSqlOf(name)}) as score (of))`
}

const symbols = { lt: '<', le: '<=', gt: '>', ge: '>=' } as const

function scoreSql({ name, op, value }: ScoreCondition, parameter: Parameter): string {
  const named = parameter(name)
  const score = `(${scoreSqlOf(named)})`
  if (op === 'exists') return `${score} is not null`
  if (op === 'passed' || op === 'failed') {
    return `${score} ->> 'passed' = '${String(op === 'passed')}'`
  }
  if (op !== 'eq' && op !== 'ne') {
    return `${scoreValueSql(named)} ${symbols[op]} ${parameter(value)}::float8`
  }
  const isLabel = `coalesce(${score} ->> 'label' = ${parameter(String(value))}::text, false)`
  const number = typeof value === 'string' ? null : Number(value)
  const isEqual =
    number === null
      ? isLabel
      : `(coalesce(${scoreValueSql(named)} = ${parameter(number)}::float8, false) or ${isLabel})`
  return op === 'eq' ? isEqual : `(${score} is not null and not ${isEqual})`
}
