/** What is known of the evaluation of decisions: their plans, and their runs with their scores. */
import type { Row } from '../platform/postgres/postgres.ts'
import type { EvaluationRun } from './evaluation-run.ts'
import { readRuns } from './read-runs.ts'
import { createReadRuleOutlines } from './rule-outlines.ts'
import type { RuleOutline } from './rule-outlines.ts'
import type { OrganizationStore } from './store.ts'

export interface PlannedRule extends RuleOutline {
  /** `planned`, or why its evaluators do not run. */
  readonly outcome: string
}

export interface DecisionPlan {
  readonly planned_at: Date
  readonly rules: readonly PlannedRule[]
}

export interface KnownEvaluation {
  /** Null before there is one, and for what was evaluated before plans were kept. */
  readonly plan: DecisionPlan | null
  readonly runs: readonly EvaluationRun[]
}

export type ReadEvaluations = (
  store: OrganizationStore,
  decisionIds: readonly string[]
) => Promise<(decisionId: string) => KnownEvaluation>

interface PlanRow extends Row {
  readonly decision_id: string
  readonly rule_set_version: number
  readonly outcomes: readonly string[]
  readonly planned_at: Date
}

const nothing: KnownEvaluation = Object.freeze({ plan: null, runs: [] })

export function createReadEvaluations(): ReadEvaluations {
  const readRuleOutlines = createReadRuleOutlines()

  return async function readEvaluations(store, decisionIds) {
    if (decisionIds.length === 0) return () => nothing
    // Plans after runs: whatever run is seen, the plan that it belongs to is seen as well.
    const runs = await readRuns(store, decisionIds)
    const rows = await selectPlans(store, decisionIds)
    const versions = rows.map(({ rule_set_version }) => rule_set_version)
    const outlines = await readRuleOutlines(store, versions)
    const plans = new Map(
      rows.map((row) => [row.decision_id, planOf(row, outlines.get(row.rule_set_version))])
    )
    return (id) => ({ plan: plans.get(id) ?? null, runs: runs.get(id) ?? [] })
  }
}

function selectPlans(store: OrganizationStore, decisionIds: readonly string[]) {
  return store.query<PlanRow>(
    `select decision_id, rule_set_version, outcomes, planned_at
       from evaluation_plans
      where organization_id = $1
        and decision_id = any($2::uuid[])`,
    [store.organizationId, decisionIds]
  )
}

function planOf(row: PlanRow, rules: readonly RuleOutline[] | undefined): DecisionPlan | null {
  if (rules === undefined) return null
  const { planned_at, outcomes } = row
  return {
    planned_at,
    rules: rules.map((rule, index) => ({ ...rule, outcome: outcomes[index] ?? 'disabled' }))
  }
}
