/** Filters on runs, as a caller gives them and as the store understands them. */
import { evaluatorKinds } from '../../../core/evaluation/evaluator-definition.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { textFilter } from '../../text-filter.ts'

export interface RunFilters {
  readonly status?: string
  readonly status_reason?: string
  readonly rule_id?: string
  readonly evaluator_id?: string
  readonly kind?: string
}

export const openStatuses = ['scheduled', 'running', 'retrying', 'blocked'] as const
export const endedStatuses = ['succeeded', 'failed', 'skipped', 'expired', 'canceled'] as const

export const runFilterParameters: Readonly<Record<string, JsonSchema>> = {
  status: {
    type: 'string',
    enum: [...openStatuses, ...endedStatuses],
    description: 'Only of this status.'
  },
  status_reason: textFilter('Only for this reason.', 100),
  rule_id: textFilter('Only of this rule.', 100),
  evaluator_id: textFilter('Only of this evaluator.', 100),
  kind: {
    type: 'string',
    enum: [...evaluatorKinds, 'human'],
    description: 'Only of evaluators of this kind.'
  }
}

const conditionOf: Readonly<Record<Exclude<keyof RunFilters, 'status'>, string>> = {
  status_reason: 's.status_reason =',
  rule_id: 's.rule_id =',
  evaluator_id: 's.evaluator_id =',
  kind: 's.evaluator_kind ='
}

/** Conditions on a row that is called `s`. */
export function runConditions(
  filters: Omit<RunFilters, 'status'>,
  parameter: (value: unknown) => string
): readonly string[] {
  const given = Object.entries(conditionOf) as [keyof typeof conditionOf, string][]
  return given.flatMap(([name, condition]) => {
    const value = filters[name]
    return value === undefined ? [] : [`${condition} ${parameter(value)}`]
  })
}

const notApplicable = 'not_applicable'
const neverNotApplicable = new Set(['failed', 'expired', 'canceled'])

/**
 * Whether what is looked for is among the few that did not succeed, which an index of their own
 * holds; runs that were skipped as usual are not among them.
 */
export function isUnsuccessful(
  statuses: readonly string[],
  statusReason: string | undefined
): boolean {
  if (statuses.length === 0 || statuses.includes('succeeded')) return false
  if (statusReason === notApplicable) return false
  return statusReason !== undefined || statuses.every((status) => neverNotApplicable.has(status))
}

/** As the index says it. */
export const unsuccessfulCondition = `status <> 'succeeded'
                and status_reason is distinct from '${notApplicable}'`
