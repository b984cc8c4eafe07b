/** Plans evaluations: applies the rules of each organization to its decisions and inserts pending
 * runs.
 */
import { done, duplicate, erased } from '../../core/message-outcome.ts'
import type { MessageOutcome } from '../../core/message-outcome.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { RulePlan } from '../../evaluators/planning/plan-rules.ts'
import type { ReadExhausted } from './exhausted-rules.ts'
import type { PlannedDecision } from './evaluate.ts'
import type { Consumption } from '../record-consumed.ts'
import type { RuleSets } from './rule-sets.ts'
import { isInline, isOffline } from './store-plans.ts'
import type { Plan, StoredPlan, StorePlans } from './store-plans.ts'

/** Result of planning a decision. `runs` are the runs to execute immediately. */
export interface Planned extends PlannedDecision {
  /** Number of inserted pending runs, which end later. */
  readonly opened: number
  readonly outcome: MessageOutcome
}

/**
 * Returns one plan per decision, in the order of the decisions.
 * @param consumption the position to record with the plans; null for deferred decisions, which do
 * not come from a batch
 */
export type PlanDecisions = (
  decisions: readonly Decision[],
  consumption: Consumption | null
) => Promise<readonly Planned[]>

interface PlanDependencies {
  readonly ruleSets: RuleSets
  readonly readExhausted: ReadExhausted
  readonly storePlans: StorePlans
}

export function createPlanDecisions(dependencies: PlanDependencies): PlanDecisions {
  const { ruleSets, readExhausted, storePlans } = dependencies

  return async function planDecisions(decisions, consumption) {
    const loaded = await ruleSets.current(decisions.map((decision) => decision.organization_id))
    const exhausted = await readExhausted(loaded)
    const plans = decisions.map((decision): Plan => {
      const own = loaded.get(decision.organization_id)
      if (own === undefined) throw new Error('an organization has no rule set')
      const outcomes = own.planRules(decision, exhausted.get(decision.organization_id))
      return { decision, rulePlan: own.resolvePlan(outcomes) }
    })
    const stored = await storePlans(plans, consumption)
    return await Promise.all(plans.map((plan, index) => plannedOf(plan, stored[index])))
  }

  async function plannedOf(
    { decision, rulePlan }: Plan,
    stored: StoredPlan | undefined
  ): Promise<Planned> {
    switch (stored?.kind) {
      case 'planned':
        return plannedRuns(decision, rulePlan)
      case 'repeated': {
        const { resolvePlan } = await ruleSets.at(decision.organization_id, stored.version)
        return { ...plannedRuns(decision, resolvePlan(stored.outcomes)), opened: 0 }
      }
      case 'duplicate':
        return nothingOf(decision, duplicate)
      case 'erased':
        return nothingOf(decision, erased)
      case undefined:
        throw new Error('a plan was neither stored nor found')
    }
  }
}

/**
 * Selects the runs to execute immediately. An inline plan is published with its runs; other plans
 * are rows of `evaluation_plans`.
 */
function plannedRuns(decision: Decision, rulePlan: RulePlan): Planned {
  const plan = isInline(rulePlan) ? rulePlan : null
  const runs = plan?.runs ?? rulePlan.runs.filter(isOffline)
  return { decision, plan, runs, opened: rulePlan.runs.length - runs.length, outcome: done }
}

function nothingOf(decision: Decision, outcome: MessageOutcome): Planned {
  return { decision, plan: null, runs: [], opened: 0, outcome }
}
