/** Rules: which decisions are evaluated, by which evaluators, how many of them, at what expense. */
import type { EvaluatorVersion } from './evaluator-definition.ts'

/** Stars of one pattern: each is one more search through the text, for each decision. */
export const starsMax = 10
export const fewStars = `^[^*]*(?:[*][^*]*){0,${starsMax}}$`

export interface RuleMatch {
  /** Patterns with `*`; a decision matches when one of them does. Absent: any decision matches. */
  readonly domains?: readonly string[]
  readonly agent_ids?: readonly string[]
  readonly session_ids?: readonly string[]
  /** Members of `metadata` with the texts that they may have. */
  readonly metadata?: Readonly<Record<string, readonly string[]>>
}

export interface RuleSampling {
  /** From 0 to 1. */
  readonly rate: number
  /** Whether a session is sampled as a whole. */
  readonly key: 'decision' | 'session'
  /** Rules of one cohort choose the same decisions, so that their scores can be compared. */
  readonly cohort: string
}

export interface RuleBudget {
  /** Of a UTC day; null is no limit. */
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
  /** A run that has not ended by then expires. */
  readonly ttl_seconds: number
  readonly max_attempts: number
}

/** As an organization writes it. */
export interface Rule extends RuleTerms {
  readonly evaluators: readonly EvaluatorReference[]
}

export interface EvaluatorReference {
  readonly evaluator_id: string
  readonly version: number | 'latest'
}

/** With the versions that it names at this moment. */
export interface ResolvedRule extends RuleTerms {
  readonly evaluators: readonly EvaluatorVersion[]
}

/** All rules of an organization as they were from one change of them to the next. */
export interface RuleSet {
  /** 0 is what every organization begins with. */
  readonly version: number
  readonly rules: readonly ResolvedRule[]
}

/** The rule that every organization begins with; it can be switched off. */
export const defaultRuleId = 'default'

/** Stands where a rule would, for scores that nobody planned and somebody pushed. */
export const pushRuleId = 'push'
