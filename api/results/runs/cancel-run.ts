/** POST /v1/evaluation/runs/{run_id}/cancel: asks that an open run end without a result. */
import { Problem } from '../../../core/problem.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import type { Store } from '../../store.ts'
import { findRun } from './find-run.ts'
import { runNotFound } from './read-run.ts'
import { runRecordOf } from './run-record.ts'

/** A run that is at work ends when its call is back, and what it brings is thrown away. */
export function createCancelRun({ store }: { readonly store: Store }): SessionHandle {
  return async function cancelRun(call) {
    const ours = store.of(call.principal.organization_id)
    const runId = (call.params['run_id'] ?? '').toLowerCase()
    const changed = await ours.change((transaction) =>
      transaction.query(
        `update open_runs
            set cancel_requested_at = coalesce(cancel_requested_at, now()),
                cancel_reason = coalesce(cancel_reason, 'user')
          where organization_id = $1
            and run_id = $2
            and status <> 'finished'
        returning run_id`,
        [ours.organizationId, runId]
      )
    )
    const run = await findRun(ours, runId)
    if (run === null) throw runNotFound()
    const record = runRecordOf(run)
    if (changed.length > 0) return jsonReply(200, JSON.stringify(record))
    const detail = `It is ${record.status} since ${timeOf(run['evaluated_at'])}.`
    throw new Problem('run_ended', { detail, members: { run_status: record.status } })
  }
}

function timeOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
