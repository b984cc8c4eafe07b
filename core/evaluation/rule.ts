/** Rules: define which decisions are evaluated, by which evaluators, and with what sampling and
 * budget.
 */
import type { EvaluatorVersion } from './evaluator-definition.ts'

/**
 * Maximum number of stars in a pattern. Each star adds a search through the matched field of every
 * decision.
 */
export const starsMax = 10
export const starsPattern = `^[^*]*(?:[*][^*]*){0,${starsMax}}$`

export interface RuleMatch {
  /** Patterns with `*`. A decision matches if any pattern matches, or if the list is absent. */
  readonly domains?: readonly string[]
  readonly agent_ids?: readonly string[]
  readonly session_ids?: readonly string[]
  /** The allowed values of members of `metadata`. */
  readonly metadata?: Readonly<Record<string, readonly string[]>>
}

export interface RuleSampling {
  /** From 0 to 1. */
  readonly rate: number
  /** With `session`, all decisions of a session are sampled together. */
  readonly key: 'decision' | 'session'
  /**
   * Rules with the same cohort, rate and key sample the same decisions, so that their scores can be
   * compared.
   */
  readonly cohort: string
}

export interface RuleBudget {
  /** Maximum cost per UTC day; null if there is no limit. */
  readonly usd_per_day: number | null
  readonly calls_per_day: number | null
  readonly on_exhausted: 'skip' | 'wait'
}

interface RuleTerms {
  /** `rul_` and 32 hex digits, or `default`. */
  readonly rule_id: string
  readonly name: string
  readonly enabled: boolean
  readonly match: RuleMatch
  readonly sampling: RuleSampling
  readonly budget: RuleBudget
  /** Time to live of a pending run, after which it expires. */
  readonly ttl_seconds: number
  readonly max_attempts: number
}

/** A rule as configured by an organization. */
export interface Rule extends RuleTerms {
  readonly evaluators: readonly EvaluatorReference[]
}

export interface EvaluatorReference {
  readonly evaluator_id: string
  readonly version: number | 'latest'
}

/** A rule whose references are resolved to evaluator versions. */
export interface ResolvedRule extends RuleTerms {
  readonly evaluators: readonly EvaluatorVersion[]
}

/** A version of all rules of an organization. Each change creates a new version. */
export interface RuleSet {
  /** 0 before the first change. */
  readonly version: number
  readonly rules: readonly ResolvedRule[]
}

/** Id of the default rule, which every organization has. It can be disabled. */
export const defaultRuleId = 'default'

/** Rule id of pushed scores, which are not planned by any rule. */
export const pushRuleId = 'push'
