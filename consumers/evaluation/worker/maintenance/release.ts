/** Releases runs when the process shuts down before their calls end, so that another process can
 * claim them immediately.
 */
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { endAttempt } from '../attempts.ts'
import { noCall } from '../judge-outcome.ts'
import type { JudgeOutcome } from '../judge-outcome.ts'
import type { ClaimedRun } from '../claimed-run.ts'
import { moveRun, readPendingRun } from '../pending-run.ts'
import { addSpending, noSpending } from '../connections/spend.ts'

/**
 * Releases a run. The attempt stays recorded, because its call may have cost money, but it does not
 * count towards the maximum.
 */
export async function release(postgres: Postgres, claimed: ClaimedRun): Promise<void> {
  await postgres.transaction(async (transaction) => {
    const run = await readPendingRun(transaction, claimed.run, { isLocked: true })
    if (run?.status !== 'running' || run.lease_token !== claimed.token) return
    await endAttempt(transaction, run, {
      attempt: claimed.attempt,
      isCounted: false,
      outcome: interrupted
    })
    await moveRun(transaction, run, {
      status: 'scheduled',
      status_reason: run.status_reason,
      attempts: run.attempts - 1,
      next_attempt_at: run.now,
      lease: null,
      result: null
    })
    if (claimed.connection !== null) {
      await addSpending(transaction, run, { ...noSpending, unpriced_calls: 1 })
    }
  })
}

const interrupted: JudgeOutcome = {
  result: {
    kind: 'failure',
    status_reason: 'interrupted',
    retryable: true,
    blocks: false,
    retryAfterMs: null,
    http_status: null,
    message: 'the process is shutting down'
  },
  report: noCall
}
