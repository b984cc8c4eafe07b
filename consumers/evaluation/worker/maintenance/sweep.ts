/** Puts due runs into the queue that nobody has put there, or whose jobs were lost. */
import type { RunKey } from '../../../../core/evaluation/evaluation.ts'
import type { JobQueue } from '../../../../platform/postgres/job-queue.ts'
import type { Postgres, Row } from '../../../../platform/postgres/postgres.ts'

export interface SweepDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<RunKey>, 'add'>
}

/** Beyond it in a round, others and later rounds go on. */
const runsMax = 500

/** Runs that the gateway added: replays. */
const unqueued = `status in ('scheduled', 'retrying') and queued_at is null
                and evaluator_kind <> 'external' and next_attempt_at <= now()`
/** Once after each lapse; from then on the job is in the queue. */
const lapsed = `status = 'running' and lease_expires_at <= now()
                and (queued_at is null or queued_at < lease_expires_at)`
/** A job that is still there makes the second a no-op, so this may err on the side of asking. */
const strayed = `status in ('scheduled', 'retrying', 'running') and evaluator_kind <> 'external'
                and next_attempt_at < now() - interval '45 seconds'
                and queued_at < now() - interval '45 seconds'
                and coalesce(lease_expires_at, now()) <= now()`

/** @returns how many runs were put into the queue. */
export async function sweepDue(dependencies: SweepDependencies): Promise<number> {
  return (await sweep(dependencies, unqueued)) + (await sweep(dependencies, lapsed))
}

export async function sweepStrayed(dependencies: SweepDependencies): Promise<number> {
  return await sweep(dependencies, strayed)
}

async function sweep({ postgres, queue }: SweepDependencies, condition: string): Promise<number> {
  return await postgres.transaction(async (transaction) => {
    const keys = await transaction.query<RunKey & Row>(
      `update open_runs as r
          set queued_at = now()
         from (select organization_id as o, decision_id as d, run_id as i
                 from open_runs
                where ${condition}
                limit $1
                  for update skip locked) as due
        where r.organization_id = o and r.decision_id = d and r.run_id = i
       returning organization_id, decision_id, run_id`,
      [runsMax]
    )
    await queue.add(
      transaction,
      keys.map((key) => ({ key }))
    )
    return keys.length
  })
}
