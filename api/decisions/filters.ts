/** Filters of decision lists: the schema and the SQL condition of each. The conditions refer to the
 * decision as `s`, its evaluation as `o` and its plan as `p`.
 */
import { evaluationStatuses } from '../../core/evaluation/evaluation-status.ts'
import { verdicts } from '../../core/evaluation/evaluation.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { boolean, closed, integer, listOf, mapOf, number, oneOf } from '../../http/schema.ts'
import { optional, schemaFor, text } from '../../http/schema.ts'
import type { Static, TSchema } from '../../http/schema.ts'
import { and, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { textEquals } from '../../platform/postgres/text-condition.ts'
import { plainText } from '../response-schemas.ts'
import { textFilter } from '../page.ts'
import { agentIdOf } from '../profiles/agent-name.ts'
import { nameCharsMax } from '../results/scores/schemas.ts'

export const labelsMax = 5
export const wordsMax = 10
export const scoreConditionsMax = 10

/** The values that lists can be sorted by, and filtered by with `min_…` and `max_…`. */
export const measures = {
  input_tokens: sql`s.input_tokens`,
  output_tokens: sql`s.output_tokens`,
  total_tokens: sql`case when num_nonnulls(s.input_tokens, s.output_tokens) > 0
                 then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) end`,
  latency_ms: sql`s.latency_ms`
}
export type MeasureName = keyof typeof measures

const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const
const assertions = ['passed', 'failed', 'exists'] as const

const scoreCondition = closed({
  name: text({ minLength: 1, maxLength: nameCharsMax, pattern: plainText }),
  op: oneOf([...comparisons, ...assertions]),
  value: optional(
    schemaFor<number | string | boolean | null>({
      type: ['number', 'string', 'boolean', 'null'],
      pattern: plainText
    })
  )
})
export type ScoreCondition = Readonly<Static<typeof scoreCondition>>

/** Creates a filter. A condition of null matches all decisions. */
function filter<T extends TSchema>(
  schema: T,
  conditionOf: (value: Static<T>, organizationId: string) => Sql | null
) {
  return { schema, conditionOf }
}

/** Creates a filter on a text column of `decisions`. */
function equals(column: string, description: string, maxLength = 100) {
  return filter(textFilter(description, maxLength), (value) => sql`s.${raw(column)} = ${value}`)
}

export function listUpTo<T extends TSchema>(maxItems: number, items: T, description: string) {
  return listOf(items, { minItems: 1, maxItems, description })
}

function boundsOf([name, value]: readonly [string, Sql]) {
  const bound = name.endsWith('tokens') ? integer : number
  const limits = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const least = bound({
    ...limits,
    description: `Only decisions with at least this ${name}, not those without it.`
  })
  const most = bound({
    ...limits,
    description: `Only decisions with at most this ${name}, not those without it.`
  })
  return [
    [`min_${name}`, filter(least, (limit) => sql`${value} >= ${limit}::float8`)] as const,
    [`max_${name}`, filter(most, (limit) => sql`${value} <= ${limit}::float8`)] as const
  ]
}

type Bound = ReturnType<typeof boundsOf>[number][1]
const bounds = Object.fromEntries(Object.entries(measures).flatMap(boundsOf)) as {
  readonly [Name in `${'min' | 'max'}_${MeasureName}`]: Bound
}

/**
 * The filters of a search, by name. They are combined with AND. A filter with a list of values
 * matches any of the values, except that all conditions on scores must hold.
 */
const filters = {
  agent_id: filter(
    textFilter(
      'Only decisions of this agent; `_unattributed` selects decisions without an agent.',
      255
    ),
    (name) => isOfAgent(sql`s.agent_id`, agentIdOf(name))
  ),
  session_id: equals('session_id', 'Only decisions of this session.', 1000),
  has_session: filter(
    boolean({ description: 'Only decisions with a session, or with `false` without one.' }),
    (hasSession) => sql`s.session_id is ${raw(hasSession ? 'not null' : 'null')}`
  ),
  domain: filter(
    listUpTo(
      20,
      text({ minLength: 1, maxLength: 100, pattern: plainText }),
      'Only decisions of one of these domains.'
    ),
    (domains) => sql`s.domain = any(${domains}::text[])`
  ),
  status: filter(
    listUpTo(
      evaluationStatuses.length,
      oneOf(evaluationStatuses),
      'Only decisions with one of these evaluation statuses.'
    ),
    (statuses) => sql`${statusSql(statuses)} = any(${statuses}::text[])`
  ),
  verdict: filter(
    listUpTo(verdicts.length, oneOf(verdicts), 'Only decisions with one of these verdicts.'),
    (wanted) => sql`coalesce(o.verdict, 'none') = any(${wanted}::text[])`
  ),
  model: equals('model', 'Only decisions with this `metadata.model`.'),
  agent_version: equals('agent_version', 'Only decisions with this `metadata.agent_version`.'),
  trace_id: equals('trace_id', 'Only decisions with this `metadata.trace_id`.'),
  parent_decision_id: filter(
    text({
      pattern: uuidPattern,
      description:
        'Only decisions with this `metadata.parent_decision_id`. This filter has no ' +
        'index. Send `trace_id`, too, which has one.'
    }),
    (id) => sql`s.parent_decision_id = ${id}::uuid`
  ),
  root: filter(
    boolean({
      description:
        '`true`: only decisions without a `parent_decision_id`. `false`: only decisions with one.'
    }),
    (isRoot) => sql`s.parent_decision_id is ${raw(isRoot ? 'null' : 'not null')}`
  ),
  kind: equals('kind', 'Only decisions with this `metadata.kind`, for example `agent`.'),
  sdk_version: equals('sdk_version', 'Only decisions sent by this SDK version.'),
  ...bounds,
  is_error: filter(
    boolean({
      description:
        '`true`: only decisions whose `metadata.error` reports an error. `false`: only ' +
        'decisions whose `metadata.error` reports that there was none.'
    }),
    (isError) => sql`s.is_error = ${isError}`
  ),
  q: filter(
    textFilter(
      `Only decisions that contain all of these words, at most ${wordsMax}, in input, output ` +
        'or metadata. Case does not matter.',
      200
    ),
    (words) => and(wordsOf(words).map(wordCondition))
  ),
  score: filter(
    listUpTo(scoreConditionsMax, scoreCondition, 'Conditions on scores. All must hold.'),
    (conditions, organizationId) =>
      and(conditions.map((condition) => conditionOfScore(organizationId, condition)))
  ),
  metadata: filter(
    mapOf(text({ maxLength: 200, pattern: plainText }), {
      maxProperties: labelsMax,
      propertyNames: { type: 'string', minLength: 1, maxLength: 100, pattern: plainText },
      description:
        'Metadata members that must have these values. Write numbers exactly as they were sent.'
    }),
    (metadata) => {
      const labels = Object.entries(metadata).map(([name, value]) => `${name}=${value}`)
      return labels.length === 0 ? null : sql`s.labels @> ${labels}::text[]`
    }
  )
}

type FilterSchemas = { readonly [Name in keyof typeof filters]: (typeof filters)[Name]['schema'] }
export type DecisionFilters = {
  readonly [Name in keyof FilterSchemas]?: Static<FilterSchemas[Name]>
}

export const filterSchemas = Object.fromEntries(
  Object.entries(filters).map(([name, { schema }]) => [name, schema])
) as FilterSchemas

/** Returns the conditions of the given filters. */
export function conditionsOf(organizationId: string, given: DecisionFilters): readonly Sql[] {
  return (Object.keys(filters) as (keyof DecisionFilters)[]).flatMap((name) => {
    const value = given[name]
    if (value === undefined) return []
    return filters[name].conditionOf(value as never, organizationId) ?? []
  })
}

/** @param agentId empty for decisions without an agent */
export function isOfAgent(column: Sql, agentId: string): Sql {
  return agentId === '' ? sql`${column} is null` : textEquals(column, agentId)
}

/**
 * Checks whether the filter on status needs the plan. Before the first run is stored, a decision
 * has a plan but no row in `evaluations`.
 */
export function needsPlan(statuses: readonly string[] = []): boolean {
  return statuses.includes('pending') || statuses.includes('not_evaluated')
}

function statusSql(statuses: readonly string[]): Sql {
  return needsPlan(statuses)
    ? sql`coalesce(o.status, case when p.runs = 0 then 'not_evaluated' else 'pending' end)`
    : sql`o.status`
}

/**
 * A join that computes the searched text once per row instead of once per word. Only the first
 * 50,000 characters of each text are searched, because searching several megabytes would delay
 * other requests.
 */
export const searchedSql = sql`cross join lateral (
        select lower(concat_ws(chr(10), left(s.input, 50000), left(s.output, 50000),
                               left(s.metadata, 50000))) as text
        offset 0) as searched`

export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))]
}

function wordCondition(word: string): Sql {
  return sql`exists (select from unnest(${formsOf(word)}::text[]) as form
                where strpos(searched.text, lower(form)) > 0)`
}

/**
 * Returns the forms of a word to search for in JSON text: unchanged and with JSON escapes, each in
 * lower, upper, title and original case. The cases are listed because Postgres lowercases non-ASCII
 * letters only if the database locale supports it.
 */
export function formsOf(word: string): readonly string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
  const cases = [word, word.toLowerCase(), word.toUpperCase(), capital]
  const forms = cases.flatMap((each) => {
    const escaped = JSON.stringify(each).slice(1, -1)
    return [each, escaped, inAscii(escaped)]
  })
  return [...new Set(forms)]
}

function inAscii(text: string): string {
  return text.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/**
 * Parses a score condition from the right, because a name can contain colons. A label that contains
 * a colon can only be sent in the body of a search.
 * @returns null if the text is not a valid condition
 */
export function readScoreCondition(text: string): ScoreCondition | null {
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const comparison = comparisons.find((op) => op === parts.at(-2))
  const op = comparison ?? assertions.find((each) => each === last)
  if (op === undefined) return null
  const name = parts.slice(0, comparison === undefined ? -1 : -2).join(':')
  const condition = { name, op, ...(comparison !== undefined && { value: valueOf(last) }) }
  const { length } = [...name]
  return length > 0 && length <= nameCharsMax && flawOf(condition) === null ? condition : null
}

function valueOf(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : text
}

/** Returns a description of the error, or null if the condition is valid. */
export function flawOf({ op, value = null }: ScoreCondition): string | null {
  if (!comparisons.some((comparison) => comparison === op)) {
    return value === null ? null : `must be absent with ${op}`
  }
  if (value === null || value === '') return `is required with ${op}`
  return op in signs && typeof value !== 'number' ? `must be a number with ${op}` : null
}

const signs = { lt: sql`<`, le: sql`<=`, gt: sql`>`, ge: sql`>=` } as const

function conditionOfScore(organizationId: string, { name, op, value }: ScoreCondition): Sql {
  const score = sql`(${scoreSql(organizationId, name)})`
  if (op === 'exists') return sql`${score} is not null`
  if (op === 'passed') return sql`${score} ->> 'passed' = 'true'`
  if (op === 'failed') return sql`${score} ->> 'passed' = 'false'`
  const scoreValue = scoreValueSql(organizationId, name)
  if (op !== 'eq' && op !== 'ne') return sql`${scoreValue} ${signs[op]} ${value}::float8`
  const isLabel = sql`coalesce(${score} ->> 'label' = ${String(value)}::text, false)`
  const isEqual =
    typeof value === 'string'
      ? isLabel
      : sql`(coalesce(${scoreValue} = ${Number(value)}::float8, false) or ${isLabel})`
  return op === 'eq' ? isEqual : sql`(${score} is not null and not ${isEqual})`
}

/**
 * Returns SQL for the effective score with the given name, as JSON `{value, label, passed}`. A
 * packed score has the same array index as its run kind. The subquery on `run_kinds` does not
 * depend on the row, so Postgres runs it once per statement.
 */
function scoreSql(organizationId: string, name: string): Sql {
  return sql`case when o.scores is null then (
                  select jsonb_build_object('value', o.score_values[place],
                                            'label', o.labels[place], 'passed', o.passed[place])
                    from unnest((select array_agg(k.run_kind) from run_kinds k
                                  where k.organization_id = ${organizationId}
                                    and k.name = ${name}::text)) as kind
                   cross join array_position(o.run_kinds, kind) as place
                   where place is not null
                   limit 1)
                else o.scores -> ${name}::text end`
}

/** Returns SQL for the value of a score. It evaluates to null if the value is not a number. */
export function scoreValueSql(organizationId: string, name: string): Sql {
  return sql`(select case when jsonb_typeof(score.of -> 'value') = 'number'
                       then (score.of ->> 'value')::float8 end
             from (select ${scoreSql(organizationId, name)}) as score (of))`
}
