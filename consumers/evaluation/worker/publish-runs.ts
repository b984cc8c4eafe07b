/** Publishes and counts ended runs. Storage deletes their rows after storing them. */
import { TransientError } from '../../../core/message-outcome.ts'
import type { Evaluation, LaterRun, RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { pendingRunColumns, valuesOf } from './pending-run.ts'
import type { PendingRun } from './pending-run.ts'
import { publishLeaseMs } from './end-run.ts'
import type { WorkerContext } from './worker-context.ts'

/**
 * Counts and publishes runs that this process has just ended. Only the process that ended a run
 * may count it, and only once.
 * @throws {TransientError} if Kafka did not acknowledge them
 */
export async function publishEnded(
  context: WorkerContext,
  runs: readonly PendingRun[]
): Promise<void> {
  for (const { result } of runs) {
    if (result === null) continue
    const { evaluator_kind: kind, status, status_reason } = JSON.parse(result) as LaterRun
    const reason = status_reason ?? ''
    context.metrics.count('sluice_evaluation_runs_total', { kind, status, reason })
  }
  await publishAll(context, runs)
}

/**
 * Publishes runs that ended but were not published: runs of killed processes, runs that could not
 * be published before, and runs that the gateway ended.
 * @returns the number of runs
 * @throws {TransientError} if Kafka did not acknowledge them
 * @throws the error of a run that Kafka rejects, after the other runs are published
 */
export async function publishUnpublished(context: WorkerContext, runsMax: number): Promise<number> {
  const runs = await leaseUnpublished(context.postgres, runsMax)
  await publishAll(context, runs).catch(async (error: unknown) => {
    if (error instanceof TransientError) throw error
    // Publishes each run separately. Runs are selected oldest first, so a run that Kafka always
    // rejects would otherwise block all newer runs.
    const ends = await Promise.allSettled(runs.map((run) => publishAll(context, [run])))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  })
  return runs.length
}

async function publishAll(
  { postgres, publish }: WorkerContext,
  runs: readonly PendingRun[]
): Promise<void> {
  const evaluations = runs.map(evaluationOf).filter((each) => each !== null)
  if (evaluations.length > 0) await publish(evaluations)
  await markPublished(postgres, runs)
}

/**
 * Returns null for an ended run without a result. Only a manual change to the table can cause this.
 */
function evaluationOf(run: PendingRun): Evaluation | null {
  if (run.result === null) return null
  const { decision_id, organization_id, agent_id, session_id, domain } = run
  return {
    decision_id,
    organization_id,
    agent_id,
    session_id,
    domain,
    received_at: run.received_at.getTime(),
    evaluated_at: (run.finished_at ?? run.now).getTime(),
    plan: null,
    runs: [],
    later_runs: [JSON.parse(run.result) as LaterRun]
  }
}

async function leaseUnpublished(postgres: Postgres, runsMax: number): Promise<PendingRun[]> {
  return await postgres.transaction((transaction) =>
    transaction.query<PendingRun>(
      `update pending_runs as r
          set lease_token = gen_random_uuid(),
              lease_expires_at = now() + $2::double precision * interval '1 millisecond'
         from (select organization_id as o, decision_id as d, run_id as i
                 from pending_runs
                where status = 'finished' and published_at is null
                  and coalesce(lease_expires_at, now()) <= now()
                order by finished_at
                limit $1
                  for update skip locked) as unpublished
        where r.organization_id = o and r.decision_id = d and r.run_id = i
       returning ${pendingRunColumns}`,
      [runsMax, publishLeaseMs]
    )
  )
}

/** Marks runs as published. Storage may already have deleted some of the rows. */
async function markPublished(transaction: Queryable, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return
  const values = runs.map(valuesOf)
  await transaction.query(
    `update pending_runs as r
        set published_at = now()
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as p (o, d, i)
      where r.organization_id = o and r.decision_id = d and r.run_id = i
        and r.status = 'finished' and r.published_at is null`,
    [0, 1, 2].map((column) => values.map((row) => row[column]))
  )
}
