/** Recomputes the outcomes of decisions from their stored plans and runs. */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedOutcomeRun } from '../../core/evaluation/decision-outcome.ts'
import { currentRunsOf } from '../../core/evaluation/evaluation-status.ts'
import { derivableCharactersMax } from '../../core/evaluation/packed-outcome.ts'
import type { OutcomeChanges } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { lockEvaluations, updateOutcomes } from './evaluation-rows.ts'
import type { RowKey } from './evaluation-rows.ts'
import { readPlans, readRuns } from './read-runs.ts'

const noRuns = { ended: [], open: [], arePacked: false }

/**
 * Recomputes the outcomes of decisions that have a row.
 * @returns the changes to apply to the hourly sums
 */
export async function refreshOutcomes(
  transaction: Queryable,
  keys: readonly RowKey[]
): Promise<OutcomeChanges> {
  if (keys.length === 0) return { added: [], removed: [] }
  const removed = await lockEvaluations(transaction, keys)
  // Reads the runs after taking the lock, to include runs that its previous holder stored.
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
 * Checks whether readers can derive the scores from the packed runs: no run replaces another, no
 * two scores share a name, and all names are short. Returns false without packed runs, because runs
 * added to the row later would change the derived scores.
 */
function haveDerivableScores(runs: readonly EndedOutcomeRun[]): boolean {
  if (runs.length === 0 || currentRunsOf(runs).length < runs.length) return false
  const scores = runs.flatMap((run) => run.scores.map(({ name }) => ({ name, run })))
  const names = new Set(scores.map(({ name }) => name))
  const areShort = scores.every(
    ({ name, run }) => name.length + (run.evaluator_id ?? '').length <= derivableCharactersMax
  )
  return names.size === scores.length && areShort
}
