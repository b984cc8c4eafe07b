/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate, erased } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { findErased } from '../../store/find-erased.ts'
import { findTombstones } from '../../store/find-tombstones.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { Store } from './bisect.ts'
import { closeRuns, insertRuns, insertScores } from './insert-runs.ts'
import type { EndedRun, RunName } from './insert-runs.ts'
import { recordConsumed } from '../record-consumed.ts'
import { storeOutcomes } from './store-outcomes.ts'
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
  const tombstones = await findTombstones(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || tombstones.has(identityNameOf(evaluation))
  const runs = evaluations.filter((evaluation) => !isGone(evaluation)).flatMap(runsOf)
  const inserted = new Set((await insertRuns(transaction, runs)).map(nameOf))
  const fresh = firstOf(runs).filter((ended) => inserted.has(endedNameOf(ended)))
  await insertScores(transaction, fresh)
  // Also of what is erased: a run may have been opened in the very moment of its erasure.
  await closeRuns(transaction, evaluations.flatMap(runsOf))
  await tellCompleted(transaction, [...new Set(fresh.map(({ evaluation }) => evaluation))])
  // Last: many decisions share a sum, and its row is locked until the transaction ends.
  await storeOutcomes(transaction, fresh)
  return evaluations.map((evaluation) => {
    if (isGone(evaluation)) return erased
    // All of them, so that the same again in this batch finds none left.
    const own = runsOf(evaluation).filter((ended) => inserted.delete(endedNameOf(ended)))
    return own.length > 0 ? done : duplicate
  })
}

function runsOf(evaluation: Evaluation): EndedRun[] {
  return evaluation.runs.map((run) => ({ evaluation, run }))
}

/** A batch may hold the same run twice; the first is the one that was inserted. */
function firstOf(runs: readonly EndedRun[]): readonly EndedRun[] {
  return [...Map.groupBy(runs, endedNameOf).values()].flatMap(([first]) => first ?? [])
}

function nameOf(name: RunName): string {
  return `${identityNameOf(name)}/${name.run_id}`
}

function endedNameOf({ evaluation, run }: EndedRun): string {
  return `${identityNameOf(evaluation)}/${run.run_id}`
}
