/** Brings the outcomes of decisions up to date with all that is stored of them. */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedRun } from '../../core/evaluation/decision-outcome.ts'
import { currentRunsOf } from '../../core/evaluation/evaluation-status.ts'
import { derivableCharactersMax } from '../../core/evaluation/packed-outcome.ts'
import type { OutcomeChanges } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { lockEvaluations, updateOutcomes } from './evaluation-rows.ts'
import type { RowKey } from './evaluation-rows.ts'
import { readPlans, readRuns } from './read-outcome-facts.ts'

const noRuns = { ended: [], open: [], arePacked: false }

/** Of those that have a row. @returns what that changes in the sums. */
export async function refreshOutcomes(
  transaction: Queryable,
  keys: readonly RowKey[]
): Promise<OutcomeChanges> {
  if (keys.length === 0) return { added: [], removed: [] }
  const removed = await lockEvaluations(transaction, keys)
  // After the lock: whoever had it before has stored what he stores.
  const runs = await readRuns(transaction, removed)
  const plans = await readPlans(transaction, removed)
  const added = removed.map((known) => {
    const name = identityNameOf(known)
    const { arePacked, ...facts } = runs.get(name) ?? noRuns
    const outcome = outcomeOf({ plan: plans.get(name) ?? null, ...facts })
    const areDerivable = arePacked && haveDerivableScores(facts.ended)
    return { ...known, ...outcome, scores: areDerivable ? null : outcome.scores }
  })
  await updateOutcomes(transaction, added)
  return { added, removed }
}

/**
 * Whether readers can derive the scores of the packed runs from their row: no run replaces another,
 * no two scores share a name, and all names are short. A row without packed runs must store its
 * scores. Otherwise readers would derive different scores once runs are added to the row.
 */
function haveDerivableScores(runs: readonly EndedRun[]): boolean {
  if (runs.length === 0 || currentRunsOf(runs).length < runs.length) return false
  const scores = runs.flatMap((run) => run.scores.map(({ name }) => ({ name, run })))
  const names = new Set(scores.map(({ name }) => name))
  const areShort = scores.every(
    ({ name, run }) => name.length + (run.evaluator_id ?? '').length <= derivableCharactersMax
  )
  return names.size === scores.length && areShort
}
