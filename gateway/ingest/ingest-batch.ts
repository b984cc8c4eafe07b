/** Ingests a batch: runs the steps of ingest.ts for each item.
 *
 *     POST /v1/ingest/batch
 *       ├─ authenticate ─▶ whole request: 401 · 403 · 503, or 429 before the body is read
 *       ├─ parse ────────▶ whole request: 400 · 413 · 415 · 422 invalid batch
 *       │                  item: 400 line that is not JSON in UTF-8 · 413 too large
 *       ├─ validate ─────▶ item: 422 invalid decision
 *       ├─ encode ───────▶ item: 413 · 503
 *       ├─ rate-limit ───▶ item: 429, from the first item that does not fit · 429 agent over limit
 *       ├─ produce ──────▶ item: 503
 *       └─ settle ───────▶ 202 all queued · 429 or 503 none queued, some retryable · 207 otherwise
 *
 * For a long body, the steps from parse to encode yield to the event loop. Each organization may
 * have only one such body in these steps at a time.
 */
import type { Authenticate } from '../../auth/authenticate.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import type { BatchOutcomes } from './batch-outcomes.ts'
import type { TakeClientReport } from './client-report.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import type { LimitAgents } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import type { Produce } from './produce.ts'
import type { ReadDecisions } from './read-decisions.ts'

interface IngestBatchDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly readBatch: ReadDecisions
  readonly takeClientReport: TakeClientReport
  readonly limitRate: LimitRate
  readonly limitAgents: LimitAgents
  readonly produce: Produce
  readonly outcomes: BatchOutcomes
}

export function createIngestBatch(dependencies: IngestBatchDependencies) {
  const { authenticate, findSpent, shareLong, readBatch, takeClientReport } = dependencies
  const { limitRate, limitAgents, produce, outcomes } = dependencies

  return async function ingestBatch(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const { headers } = call
    try {
      const principal = (attempt.principal = await authenticate(headers.authorization, 'ingest'))
      const { organization_id: organizationId } = principal
      const spent = (attempt.quota = findSpent(principal))
      if (spent !== null) throw spent.problem
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const idAt = (index: number) => idempotentId?.(organizationId, index) ?? null
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const batch = (attempt.batch = await call.useBody(
        { sharedBy: organizationId, inShare },
        (body) => readBatch(body, { headers, principal, idAt })
      ))
      takeClientReport(batch, principal)
      attempt.quota = await limitRate(principal, batch.count)
      batch.admit(attempt.quota)
      await limitAgents(batch, organizationId)
      await produce(batch)
      return await outcomes.settle(attempt, batch)
    } catch (error) {
      throw await outcomes.reject(attempt, error)
    } finally {
      attempt.batch?.release()
    }
  }
}
