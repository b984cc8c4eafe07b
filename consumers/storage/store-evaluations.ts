/** Stores runs and scores in Postgres, one transaction per batch, each run once. */
import { done, duplicate, erased } from '../../core/message-outcome.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Evaluation, RunKey } from '../../core/evaluation/evaluation.ts'
import { findErased } from '../../store/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import { recordConsumed } from '../record-consumed.ts'
import type { StoreBatch } from './bisect.ts'
import { findIdentities } from '../../store/find-identities.ts'
import { lockCorrectionsShared } from '../../store/correction-lock.ts'
import { closeRuns, laterRunNameOf, insertRuns, insertScores } from './insert-runs.ts'
import type { LaterRunRow } from './insert-runs.ts'
import { findReceivedTimes, keyOf } from './evaluation-rows.ts'
import { storePacked, storeSums } from './store-packed.ts'
import type { NotifyCompleted } from './notify-completed.ts'

interface StoreEvaluationsDependencies {
  readonly postgres: Postgres
  readonly notifyCompleted: NotifyCompleted
}

/**
 * Creates a function that stores evaluations and returns one outcome for each: `done` if at least
 * one of its runs is new, `erased` if the decision is erased, and otherwise `duplicate`.
 */
export function createStoreEvaluations(
  dependencies: StoreEvaluationsDependencies
): StoreBatch<Evaluation> {
  const { postgres, notifyCompleted } = dependencies
  return function storeEvaluations(evaluations, consumption) {
    return postgres.transaction(async (transaction) => {
      await recordConsumed(transaction, consumption)
      return evaluations.length === 0 ? [] : await store(transaction, evaluations, notifyCompleted)
    })
  }
}

async function store(
  transaction: Queryable,
  evaluations: readonly Evaluation[],
  notifyCompleted: NotifyCompleted
) {
  const isErased = await findErased(transaction, evaluations)
  await lockCorrectionsShared(transaction)
  const identities = await findIdentities(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || identities.get(identityNameOf(evaluation))?.is_erased === true
  // A retried decision has a different `received_at`. Its row is found by the stored `received_at`.
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
  // Includes erased decisions, because a pending run may have been inserted while its decision
  // was being erased.
  await closeRuns(transaction, timed.flatMap(laterRunsOf))
  const changed = new Set([...packed.stored, ...later.map(({ evaluation }) => evaluation)])
  await notifyCompleted(transaction, [...changed])
  // Updates the sums last. Many decisions share the row of a sum, and it stays locked until the
  // transaction ends.
  await storeSums(transaction, packed.inserted, [...changed].map(keyOf))
  return timed.map((evaluation) => {
    if (isGone(evaluation)) return erased
    // Each evaluation is `done` once, so a copy in this batch is a duplicate.
    return changed.delete(evaluation) ? done : duplicate
  })
}

function laterRunsOf(evaluation: Evaluation): LaterRunRow[] {
  return evaluation.later_runs.map((run) => ({ evaluation, run }))
}

/** @returns the runs that were not stored before */
async function storeLater(transaction: Queryable, runs: readonly LaterRunRow[]) {
  const inserted = new Set((await insertRuns<RunKey>(transaction, runs)).map(nameOf))
  const fresh = runs.filter((ended) => inserted.has(laterRunNameOf(ended)))
  await insertScores(transaction, fresh)
  return fresh
}

function nameOf(name: RunKey): string {
  return `${identityNameOf(name)}/${name.run_id}`
}

/** Keeps the first copy of each run, because a batch may contain a run twice. */
function firstOf(runs: readonly LaterRunRow[]): readonly LaterRunRow[] {
  return [...Map.groupBy(runs, laterRunNameOf).values()].flatMap(([first]) => first ?? [])
}
