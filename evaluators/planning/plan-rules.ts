/** Plans rules: determines for each rule whether its evaluators run on a decision, and if not, why.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluationPlan } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule, RuleSet } from '../../core/evaluation/rule.ts'
import type { RuleReason } from '../../core/evaluation/status-reason.ts'
import { createCache } from '../../platform/process/cache.ts'
import { createMatch } from './match.ts'
import { metadataTextsOf } from './metadata-texts.ts'
import type { MetadataTexts } from './metadata-texts.ts'
import { isSampled } from './sample.ts'

/** `planned` if the evaluators run, otherwise the reason why they do not. */
type RuleOutcome = 'planned' | RuleReason

/**
 * Returns one outcome for each rule, in the order of the rule set.
 * @param exhausted the ids of rules that have used up their budget and skip further decisions
 */
export type PlanRules = (
  decision: Decision,
  exhausted?: ReadonlySet<string>
) => readonly RuleOutcome[]

/** A rule and one of its evaluators. */
export interface PlannedRun {
  readonly rule: ResolvedRule
  readonly evaluator: EvaluatorVersion
}

const noRules: ReadonlySet<string> = new Set()

export function createPlanRules({ rules }: RuleSet): PlanRules {
  const outcomes = rules.map(createOutcomeOf)
  return function planRules(decision, exhausted = noRules) {
    const metadata = metadataTextsOf(decision.metadata)
    if (isOwnCall(decision, metadata)) return rules.map(() => 'loop_guard' as const)
    return outcomes.map((outcomeOf) => outcomeOf(decision, metadata, exhausted))
  }
}

/**
 * Metadata member that marks a decision as a judge call. Such a decision is never evaluated, to
 * prevent loops.
 */
const ownCallMember = 'sluice.evaluation'

export function isOwnCall(
  { metadata }: Pick<Decision, 'metadata'>,
  texts: MetadataTexts = metadataTextsOf(metadata)
): boolean {
  // Metadata without this text or a `\u` escape, which could encode it, cannot contain the member.
  const mayBe = metadata !== null && (metadata.includes(ownCallMember) || metadata.includes('\\u'))
  return mayBe && texts(ownCallMember) === 'true'
}

type OutcomeOf = (
  decision: Decision,
  metadata: MetadataTexts,
  exhausted: ReadonlySet<string>
) => RuleOutcome

function createOutcomeOf({ rule_id, enabled, match, sampling }: ResolvedRule): OutcomeOf {
  if (!enabled) return () => 'disabled'
  const mismatchOf = createMatch(match)
  return (decision, metadata, exhausted) => {
    const mismatch = mismatchOf(decision, metadata)
    if (mismatch !== null) return mismatch
    if (!isSampled(sampling, decision)) return 'sampled_out'
    return exhausted.has(rule_id) ? 'budget_exhausted' : 'planned'
  }
}

/** Returns the runs of the planned rules, ordered by rule and evaluator. */
export function plannedRunsOf({ rules }: RuleSet, outcomes: readonly string[]): PlannedRun[] {
  return rules.flatMap((rule, index) =>
    outcomes[index] === 'planned' ? rule.evaluators.map((evaluator) => ({ rule, evaluator })) : []
  )
}

/** Plan of a decision with its runs. */
export interface RulePlan extends EvaluationPlan {
  readonly runs: readonly PlannedRun[]
}

export type RulePlanOf = (outcomes: readonly string[]) => RulePlan

/** Maximum number of cached plans of a rule set. Most decisions share a few lists of outcomes. */
const rulePlansMax = 16

/**
 * Creates a function that returns the same object for equal outcomes, so that the codec encodes it
 * once.
 */
export function createResolvePlan(ruleSet: RuleSet): RulePlanOf {
  const known = createCache<RulePlan>(rulePlansMax)
  return function resolvePlan(outcomes) {
    const name = outcomes.join()
    const found = known.get(name)
    if (found !== undefined) return found
    const runs = plannedRunsOf(ruleSet, outcomes)
    const plan = Object.freeze({ rule_set_version: ruleSet.version, outcomes, runs })
    known.set(name, plan)
    return plan
  }
}
