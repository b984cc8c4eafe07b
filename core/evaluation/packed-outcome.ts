/** Packed outcome: derives the outcome of runs whose scores never replace each other. */
import { stateOf, summableOf } from './decision-outcome.ts'
import type { CountedScore, DecisionOutcome, OutcomePlan } from './decision-outcome.ts'
import { runKeyOf } from './evaluation-status.ts'
import { verdictOf } from './evaluation.ts'
import type { PackedRun, RunKind } from './evaluation.ts'
import { pushRuleId } from './rule.ts'

/** Without scores, which readers derive from the row. */
export interface PackedOutcome extends Omit<DecisionOutcome, 'scores'> {
  readonly scores: null
}

/** The kinds of the runs of a record, in their order. */
export interface KindList {
  readonly kinds: readonly RunKind[]
  /** Whether no two runs have the same rule and evaluator. */
  readonly areDistinct: boolean
  /**
   * Whether readers can derive all scores from the row: there are runs, none is pushed, none
   * replaces another, no two scores share a name, and all names are short.
   */
  readonly areDerivable: boolean
}

/**
 * Up to 8 lists per first kind, latest first. Most records match one of them, because their kinds
 * differ only in reason templates.
 */
const lists = new WeakMap<RunKind, readonly KindList[]>()
const listsMax = 8
const noKinds: KindList = { kinds: [], areDistinct: true, areDerivable: false }

/** @returns the cached list that has the same kind objects; otherwise caches a new one */
export function kindListOf(runs: readonly PackedRun[]): KindList {
  const [first] = runs
  if (first === undefined) return noKinds
  const known = lists.get(first.kind) ?? []
  const cached = known.find((list) => isOf(runs, list))
  if (cached !== undefined) return cached
  const kinds = runs.map(({ kind }) => kind)
  const areDistinct = new Set(kinds.map(runKeyOf)).size === kinds.length
  const list = { kinds, areDistinct, areDerivable: areDistinct && areDerivable(kinds) }
  lists.set(first.kind, [list, ...known].slice(0, listsMax))
  return list
}

function isOf(runs: readonly PackedRun[], { kinds }: KindList): boolean {
  return runs.length === kinds.length && runs.every(({ kind }, at) => kind === kinds[at])
}

/**
 * Maximum length of a score name and its evaluator ID together. Below `keyUnitsMax` of
 * decision-outcome.ts, so every derivable score is also summed.
 */
export const derivableCharactersMax = 100

function areDerivable(kinds: readonly RunKind[]): boolean {
  const names = kinds.flatMap(({ name }) => name ?? [])
  return new Set(names).size === names.length && kinds.every(isDerivable)
}

function isDerivable({ rule_id, name, evaluator_id }: RunKind): boolean {
  return (
    rule_id !== pushRuleId && (name ?? '').length + evaluator_id.length <= derivableCharactersMax
  )
}

/** @param runs with derivable scores */
export function packedOutcomeOf(
  plan: OutcomePlan | null,
  runs: readonly PackedRun[]
): PackedOutcome {
  const scored = runs.filter(({ kind }) => kind.name !== null)
  return {
    ...stateOf(plan, runs),
    verdict: verdictOf(scored),
    scores: null,
    counted: scored.map(countedOf)
  }
}

function countedOf({ kind, value, passed }: PackedRun): CountedScore {
  const { name, evaluator_id, evaluator_version } = kind
  return {
    name: name ?? '',
    source_kind: 'evaluator',
    evaluator_id,
    evaluator_version,
    value: summableOf(value),
    passed
  }
}
