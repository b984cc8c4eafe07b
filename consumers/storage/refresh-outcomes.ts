/** Brings the outcomes of decisions up to date with all that is stored of them. */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedRun } from '../../core/evaluation/decision-outcome.ts'
import { currentRunsOf } from '../../core/evaluation/evaluation-status.ts'
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
    return { ...known, ...outcome, isPlain: arePacked && arePlain(facts.ended) }
  })
  await updateOutcomes(transaction, added)
  return { added, removed }
}

const textsMax = 100

/**
 * Whether what counts of packed runs can be read from their row: none replaces another, no two
 * scores share a name, and all of them are counted. What a row without runs counts is written
 * down: it would say otherwise as soon as it is filled.
 */
export function arePlain(runs: readonly EndedRun[]): boolean {
  if (runs.length === 0 || currentRunsOf(runs).length < runs.length) return false
  const scores = runs.flatMap((run) => run.scores.map(({ name }) => ({ name, run })))
  const names = new Set(scores.map(({ name }) => name))
  const areShort = scores.every(
    ({ name, run }) => name.length + (run.evaluator_id ?? '').length <= textsMax
  )
  return names.size === scores.length && areShort
}
