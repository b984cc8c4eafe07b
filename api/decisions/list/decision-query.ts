/** What a list of decisions asks for: from a query string and from a body it is the same. */
import type { EvaluationStatus } from '../../../core/evaluation/evaluation-status.ts'
import type { Verdict } from '../../../core/evaluation/evaluation.ts'
import type { Filters } from '../../../core/cursor.ts'
import type { ScoreCondition } from './score-condition.ts'

/** What has a least and a greatest value to ask for, as `min_…` and `max_…`. */
export const measures = ['input_tokens', 'output_tokens', 'total_tokens', 'latency_ms'] as const

export type Measure = (typeof measures)[number]

export type MeasureBounds = {
  readonly [name in `${'min' | 'max'}_${Measure}`]?: number
}

/** Members that are absent do not filter; those that are lists are passed by any of them. */
export interface DecisionFilters extends MeasureBounds {
  readonly agent_id?: string
  readonly session_id?: string
  readonly domain?: readonly string[]
  readonly status?: readonly EvaluationStatus[]
  readonly verdict?: readonly Verdict[]
  /** All of them must hold. */
  readonly score?: readonly ScoreCondition[]
  /** All of them must hold. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly model?: string
  readonly agent_version?: string
  readonly sdk_version?: string
  readonly is_error?: boolean
  /** Words, all of which must occur. */
  readonly q?: string
}

export const inclusions = ['input', 'output', 'metadata', 'scores'] as const
export type Inclusion = (typeof inclusions)[number]

export interface DecisionQuery {
  readonly from?: string
  readonly to?: string
  readonly filters: DecisionFilters
  readonly sort: string
  readonly include: readonly Inclusion[]
  readonly count: 'exact' | 'estimate' | null
  readonly limit: number
  readonly cursor?: string
}

/** What a cursor belongs to: the same for a query string and for a body that say the same. */
export function filterTextsOf({ from, to, filters, sort }: DecisionQuery): Filters {
  const given = Object.entries({ ...filters, sort }) as [string, unknown][]
  const texts = given.map(([name, value]) => [
    name,
    value === undefined ? undefined : JSON.stringify(value)
  ])
  return { from, to, ...(Object.fromEntries(texts) as Filters) }
}
