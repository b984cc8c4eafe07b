/** Gives back runs whose calls the process could not wait for, so that others need not wait. */
import type { RunKey } from '../../../../core/evaluation/evaluation.ts'
import type { JobQueue } from '../../../../platform/postgres/job-queue.ts'
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { endAttempt } from '../attempts.ts'
import { noCall } from '../judge-outcome.ts'
import type { JudgeOutcome } from '../judge-outcome.ts'
import type { HeldRun } from './leases.ts'
import { moveRun, readOpenRun } from '../open-run.ts'
import { addSpending, noSpending } from '../connections/spend.ts'

export interface ReleaseDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<RunKey>, 'later'>
}

/** The call may have cost something, so it stays on record as one; but no attempt burns. */
export async function release(
  { postgres, queue }: ReleaseDependencies,
  { claimed, job }: HeldRun
): Promise<void> {
  await postgres.transaction(async (transaction) => {
    const run = await readOpenRun(transaction, claimed.run, { isLocked: true })
    if (run?.status !== 'running' || run.lease_token !== claimed.token) return
    await endAttempt(transaction, run, {
      ...{ attempt: claimed.attempt, isCounted: false, outcome: interrupted }
    })
    await moveRun(transaction, run, {
      ...{ status: 'scheduled', status_reason: run.status_reason, attempts: run.attempts - 1 },
      ...{ next_attempt_at: run.now, lease: null, result: null }
    })
    if (claimed.connection !== null) {
      await addSpending(transaction, run, { ...noSpending, unpriced_calls: 1 })
    }
    await queue.later(job, run.now, transaction)
  })
}

const interrupted: JudgeOutcome = {
  result: {
    ...{ kind: 'failure', status_reason: 'interrupted', retryable: true, blocks: false },
    ...{ retryAfterMs: null, http_status: null, message: 'the process was told to stop' }
  },
  report: noCall
}
