/** Derives the outcome of packed runs, whose scores never replace each other. */
import { stateOf, summableOf } from './decision-outcome.ts'
import type { CountedScore, DecisionOutcome, OutcomePlan } from './decision-outcome.ts'
import { runKeyOf } from './evaluation-status.ts'
import { verdictOf } from './evaluation.ts'
import type { PackedRun, RunKind } from './evaluation.ts'
import { pushRuleId } from './rule.ts'

/** An outcome without scores, because readers derive the scores from the row. */
interface PackedOutcome extends Omit<DecisionOutcome, 'scores'> {
  readonly scores: null
}

/** The kinds of the runs in a record, in the order of the runs. */
export interface KindList {
  readonly kinds: readonly RunKind[]
  /** Whether no two runs have the same rule and evaluator. */
  readonly areDistinct: boolean
  /**
   * Whether readers can derive all scores from the row. Requires at least one run, no pushed
   * scores, no replaced runs, distinct score names, and in each run at most
   * `derivableCharactersMax` characters in the name and the evaluator id together.
   */
  readonly areDerivable: boolean
}

/**
 * Cached kind lists, keyed by the kind of the first run; newest first, at most `listsMax` per key.
 * Most records match a cached list: with one rule set, the kind of a run varies only in whether it
 * has a score and in the score's data type and reason template, so few combinations occur.
 */
const lists = new WeakMap<RunKind, readonly KindList[]>()
const listsMax = 8
const noKinds: KindList = { kinds: [], areDistinct: true, areDerivable: false }

/** Returns the cached list with the same kind objects, or creates and caches a new one. */
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
 * Maximum total length of a score name and its evaluator id. It is below `keyUnitsMax` in
 * decision-outcome.ts, so every derivable score can also be summed.
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

/** @param runs runs whose scores are derivable */
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
