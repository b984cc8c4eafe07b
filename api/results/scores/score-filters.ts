/** Filters on stored scores, as a caller gives them and as the store understands them. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { textFilter } from '../../text-filter.ts'

export interface ScoreFilters {
  readonly name?: string
  readonly data_type?: string
  readonly passed?: boolean
  readonly source?: string
  readonly evaluator_id?: string
  readonly version?: number
  readonly rule_id?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly domain?: string
  readonly value_min?: number
  readonly value_max?: number
}

export const nameCharsMax = 255

export const scoreFilterParameters: Readonly<Record<string, JsonSchema>> = {
  name: textFilter('Only of this name.', nameCharsMax),
  data_type: textFilter('Only numeric, boolean, categorical or text.', 30),
  passed: { type: 'boolean', description: 'Only those that passed, or only those that did not.' },
  source: textFilter('Only of this source: evaluator, api, human or end_user.', 30),
  evaluator_id: textFilter('Only of this evaluator.', 100),
  version: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1, description: 'Of the evaluator.' },
  rule_id: textFilter('Only of this rule.', 100),
  agent_id: textFilter('Only of this agent.', 255),
  session_id: textFilter('Only of this session.', 1000),
  domain: textFilter('Only of this domain.', 100),
  value_min: { type: 'number', description: 'A value of at least this.' },
  value_max: { type: 'number', description: 'A value of at most this.' }
}

const conditionOf: Readonly<Record<Exclude<keyof ScoreFilters, 'name'>, string>> = {
  data_type: 's.data_type =',
  passed: 's.passed =',
  source: 's.source_kind =',
  evaluator_id: 's.evaluator_id =',
  version: 's.evaluator_version =',
  rule_id: 's.rule_id =',
  agent_id: 's.agent_id =',
  session_id: 's.session_id =',
  domain: 's.domain =',
  value_min: 's.value >=',
  value_max: 's.value <='
}

/** Conditions on a row that is called `s`, but for the name, which an index serves. */
export function scoreConditions(
  filters: ScoreFilters,
  parameter: (value: unknown) => string
): readonly string[] {
  const given = Object.entries(conditionOf) as [keyof ScoreFilters, string][]
  return given.flatMap(([name, condition]) => {
    const value = filters[name]
    return value === undefined ? [] : [`${condition} ${parameter(value)}`]
  })
}

type FilterValue = string | number | boolean

/** What the cursor of a list belongs to. */
export function filterTextsOf(filters: object): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(filters) as [string, FilterValue | undefined][]
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === undefined ? undefined : String(value)])
  )
}
