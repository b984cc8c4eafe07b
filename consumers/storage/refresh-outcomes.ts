/** Brings the outcomes of decisions up to date with all that is stored of them. */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { OutcomeChanges } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { lockOutcomes, updateOutcomes } from './outcome-rows.ts'
import type { DecisionName } from './outcome-rows.ts'
import { readPlans, readRuns } from './read-outcome-facts.ts'

const noRuns = { ended: [], open: [] }

/** Of those that have an outcome. @returns what that changes in the sums. */
export async function refreshOutcomes(
  transaction: Queryable,
  decisions: readonly DecisionName[]
): Promise<OutcomeChanges> {
  if (decisions.length === 0) return { added: [], removed: [] }
  const removed = await lockOutcomes(transaction, decisions)
  // After the lock: whoever had it before has stored what he stores.
  const runs = await readRuns(transaction, removed)
  const plans = await readPlans(transaction, removed)
  const added = removed.map((known) => {
    const name = identityNameOf(known)
    const facts = { plan: plans.get(name) ?? null, ...(runs.get(name) ?? noRuns) }
    return { ...known, ...outcomeOf(facts) }
  })
  await updateOutcomes(transaction, added)
  return { added, removed }
}
