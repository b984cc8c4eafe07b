/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate, erased } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision.ts'
import type { Evaluation } from '../../core/evaluation.ts'
import { findErased } from '../../platform/find-erased.ts'
import { findTombstones } from '../../platform/find-tombstones.ts'
import type { Postgres, Queryable } from '../../platform/postgres.ts'
import type { Store } from './bisect.ts'
import { closeRuns, insertRuns, insertScores } from './insert-runs.ts'
import type { EndedRun, RunName } from './insert-runs.ts'
import { recordConsumed } from './record-consumed.ts'

/** One outcome for each: done when at least one of its runs was new, erased with its decision. */
export function createStoreEvaluations({ postgres }: { postgres: Postgres }): Store<Evaluation> {
  return function storeEvaluations(evaluations, consumption) {
    return postgres.transaction(async (transaction) => {
      await recordConsumed(transaction, consumption)
      return evaluations.length === 0 ? [] : await store(transaction, evaluations)
    })
  }
}

async function store(transaction: Queryable, evaluations: readonly Evaluation[]) {
  const isErased = await findErased(transaction, evaluations)
  const tombstones = await findTombstones(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || tombstones.has(identityNameOf(evaluation))
  const runs = evaluations.filter((evaluation) => !isGone(evaluation)).flatMap(runsOf)
  const inserted = new Set((await insertRuns(transaction, runs)).map(nameOf))
  await insertScores(
    transaction,
    runs.filter((ended) => inserted.has(endedNameOf(ended)))
  )
  await closeRuns(transaction, runs)
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

function nameOf(name: RunName): string {
  return `${identityNameOf(name)}/${name.run_id}`
}

function endedNameOf({ evaluation, run }: EndedRun): string {
  return `${identityNameOf(evaluation)}/${run.run_id}`
}
