/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate, erased } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Evaluation, RunKey } from '../../core/evaluation/evaluation.ts'
import { findErased } from '../../store/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import { recordConsumed } from '../record-consumed.ts'
import type { Store } from './bisect.ts'
import { findIdentities } from '../../store/find-identities.ts'
import { lockCorrectionsShared } from '../../store/correction-lock.ts'
import { closeRuns, endedNameOf, insertRuns, insertScores } from './insert-runs.ts'
import type { EndedRun } from './insert-runs.ts'
import { findReceivedTimes, keyOf } from './evaluation-rows.ts'
import { storePacked, storeSums } from './store-packed.ts'
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
  await lockCorrectionsShared(transaction)
  const identities = await findIdentities(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || identities.get(identityNameOf(evaluation))?.is_erased === true
  // A retry of the decision has another time; the row of its evaluation is found by this one.
  const times = await findReceivedTimes(
    transaction,
    evaluations.filter((evaluation) => !identities.has(identityNameOf(evaluation)))
  )
  const firstTimes = new Map(
    evaluations.toReversed().map((each) => [identityNameOf(each), each.received_at])
  )
  const timed = evaluations.map((evaluation) => {
    const name = identityNameOf(evaluation)
    const stored = identities.get(name)?.received_at ?? times.get(name)
    const received_at = stored ?? firstTimes.get(name) ?? evaluation.received_at
    return received_at === evaluation.received_at ? evaluation : { ...evaluation, received_at }
  })
  const alive = timed.filter((evaluation) => !isGone(evaluation))
  const packed = await storePacked(transaction, alive)
  const later = await storeLater(transaction, firstOf(alive.flatMap(laterRunsOf)))
  // Includes erased decisions: a run may have been opened while its decision was being erased.
  await closeRuns(transaction, timed.flatMap(laterRunsOf))
  const changed = new Set([...packed.stored, ...later.map(({ evaluation }) => evaluation)])
  await tellCompleted(transaction, [...changed])
  // Last: many decisions share a sum, and its row is locked until the transaction ends.
  await storeSums(transaction, packed.inserted, [...changed].map(keyOf))
  return timed.map((evaluation) => {
    if (isGone(evaluation)) return erased
    // Removes it, so that the same evaluation again in this batch is a duplicate.
    return changed.delete(evaluation) ? done : duplicate
  })
}

function laterRunsOf(evaluation: Evaluation): EndedRun[] {
  return evaluation.later_runs.map((run) => ({ evaluation, run }))
}

/** @returns those that were not there yet. */
async function storeLater(transaction: Queryable, runs: readonly EndedRun[]) {
  const inserted = new Set((await insertRuns(transaction, runs)).map(nameOf))
  const fresh = runs.filter((ended) => inserted.has(endedNameOf(ended)))
  await insertScores(transaction, fresh)
  return fresh
}

function nameOf(name: RunKey): string {
  return `${identityNameOf(name)}/${name.run_id}`
}

/** A batch may hold the same run twice; the first is the one that is inserted. */
function firstOf(runs: readonly EndedRun[]): readonly EndedRun[] {
  return [...Map.groupBy(runs, endedNameOf).values()].flatMap(([first]) => first ?? [])
}
