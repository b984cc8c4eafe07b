/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate, erased } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { isOfflineKind } from '../../core/evaluation/evaluator-definition.ts'
import { findErased } from '../../store/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import { recordConsumed } from '../record-consumed.ts'
import type { Store } from './bisect.ts'
import { findIdentities } from './find-identities.ts'
import { closeRuns, endedNameOf, insertRuns, insertScores } from './insert-runs.ts'
import type { EndedRun } from './insert-runs.ts'
import { splitRuns } from './pack-runs.ts'
import type { Offer } from './pack-runs.ts'
import { readPackedRunIds } from './read-outcome-facts.ts'
import { keyOf, storePacked, storeSums } from './store-packed.ts'
import type { TellCompleted } from './tell-completed.ts'

export interface StoreEvaluationsDependencies {
  readonly postgres: Postgres
  readonly tellCompleted: TellCompleted
}

/** One outcome for each: done when at least one of its runs was new, erased with its decision. */
export function createStoreEvaluations(
  dependencies: StoreEvaluationsDependencies
): Store<Evaluation> {
  const { postgres, tellCompleted } = dependencies
  return function storeEvaluations(evaluations, consumption) {
    return postgres.transaction(async (transaction) => {
      await recordConsumed(transaction, consumption)
      return evaluations.length === 0 ? [] : await store(transaction, evaluations, tellCompleted)
    })
  }
}

async function store(
  transaction: Queryable,
  evaluations: readonly Evaluation[],
  tellCompleted: TellCompleted
) {
  const isErased = await findErased(transaction, evaluations)
  const identities = await findIdentities(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || identities.get(identityNameOf(evaluation))?.is_erased === true
  const offers = evaluations.map((evaluation): Offer => {
    // A retry of the decision has another time; the row of its evaluation is found by this one.
    const { received_at = evaluation.received_at } =
      identities.get(identityNameOf(evaluation)) ?? {}
    return { evaluation: { ...evaluation, received_at }, ...splitRuns(evaluation) }
  })
  const alive = offers.filter(({ evaluation }) => !isGone(evaluation))
  const packed = await storePacked(transaction, alive)
  const others = await withoutPacked(transaction, alive.flatMap(othersOf))
  const later = firstOf([...others, ...packed.leftOver])
  const fresh = [...packed.stored, ...(await storeLater(transaction, later))]
  // Also of what is erased: a run may have been opened in the very moment of its erasure.
  await closeRuns(transaction, offers.flatMap(othersOf))
  await tellCompleted(transaction, [...new Set(fresh.map(({ evaluation }) => evaluation))])
  // Last: many decisions share a sum, and its row is locked until the transaction ends.
  await storeSums(transaction, packed, fresh)
  const stored = new Set(fresh.map(endedNameOf))
  return evaluations.map((evaluation) => {
    if (isGone(evaluation)) return erased
    // All of them, so that the same again in this batch finds none left.
    const own = evaluation.runs.filter((run) => stored.delete(endedNameOf({ evaluation, run })))
    return own.length > 0 ? done : duplicate
  })
}

function othersOf({ evaluation, others }: Offer): EndedRun[] {
  return others.map((run) => ({ evaluation, run }))
}

/** A run that does not fit into a row may have come before, or beside it, in a form that does. */
async function withoutPacked(transaction: Queryable, runs: readonly EndedRun[]) {
  const doubtful = runs.filter(({ run }) => isOfflineKind(run.evaluator_kind))
  const packed = await readPackedRunIds(transaction, doubtful.map(keyOf))
  return runs.filter((ended) => !packed.has(endedNameOf(ended)))
}

/** @returns those that were not there yet. */
async function storeLater(transaction: Queryable, runs: readonly EndedRun[]) {
  const inserted = new Set((await insertRuns(transaction, runs)).map(nameOf))
  const fresh = runs.filter((ended) => inserted.has(endedNameOf(ended)))
  await insertScores(transaction, fresh)
  return fresh
}

function nameOf(name: { organization_id: string; decision_id: string; run_id: string }): string {
  return `${identityNameOf(name)}/${name.run_id}`
}

/** A batch may hold the same run twice; the first is the one that was inserted. */
function firstOf(runs: readonly EndedRun[]): readonly EndedRun[] {
  return [...Map.groupBy(runs, endedNameOf).values()].flatMap(([first]) => first ?? [])
}
