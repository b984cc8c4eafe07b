/** Ingests a batch: runs the steps of ingest.ts for each item.
 *
 *     POST /v1/ingest/batch
 *       ├─ authenticate ─▶ whole request: 401 · 403 · 503, or 429 before the body is read
 *       ├─ parse ────────▶ whole request: 400 · 413 · 415 · 422 invalid batch
 *       │                  item: 400 line that is not JSON in UTF-8 · 413 too large
 *       ├─ validate ─────▶ item: 422 invalid decision
 *       ├─ rate-limit ───▶ item: 429, from the first item that does not fit · 429 agent over limit
 *       ├─ encode ───────▶ item: 413 · 503
 *       ├─ produce ──────▶ item: 503
 *       └─ settle ───────▶ 202 all queued · 429 or 503 none queued, some retryable · 207 otherwise
 *
 * For a long body, the steps from parse to encode yield to the event loop. Each organization may
 * have only one such body in these steps at a time.
 */
import { isLong } from '../../core/json/steps.ts'
import type { Authenticate } from '../../auth/authenticate.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import { runStepsYielding } from '../../platform/process/yield-to-event-loop.ts'
import type { BatchOutcomes } from './batch-outcomes.ts'
import type { TakeClientReport } from './client-report.ts'
import type { EncodeDecision } from './encode.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import { admit, each, eachYielding, rejectEach } from './each.ts'
import type { EachItem } from './each.ts'
import type { LimitAgent } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import { parseBatch, parseBatchSteps } from './parse-batch.ts'
import type { ProduceEach } from './produce.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

interface IngestBatchDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly takeClientReport: TakeClientReport
  readonly validate: Validate
  readonly limitRate: LimitRate
  readonly limitAgent: LimitAgent
  readonly encode: EncodeDecision
  readonly produceEach: ProduceEach
  readonly outcomes: BatchOutcomes
}

export function createIngestBatch(dependencies: IngestBatchDependencies) {
  const { authenticate, findSpent, shareLong, takeClientReport, validate } = dependencies
  const { limitRate, limitAgent, encode, produceEach, outcomes } = dependencies

  return async function ingestBatch(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const { headers } = call
    try {
      const principal = (attempt.principal = await authenticate(headers.authorization, 'ingest'))
      const { organization_id: organizationId } = principal
      const spent = (attempt.quota = findSpent(principal))
      if (spent !== null) throw spent.problem
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const records = await call.useBody({ sharedBy: organizationId, inShare }, async (body) => {
        const contentType = headers['content-type']
        const eachItem: EachItem = isLong(body) ? eachYielding : each
        const batch = isLong(body)
          ? await runStepsYielding(parseBatchSteps(contentType, body))
          : parseBatch(contentType, body)
        const items = (attempt.items = batch.items)
        attempt.sizes = batch.sizes
        takeClientReport(batch, principal)
        const idAt = (index: number) => idempotentId?.(organizationId, index) ?? null
        attempt.ids = items.map((item, index) => idOf(item) ?? idAt(index))
        attempt.decisions = await eachItem(items, (submission, index) =>
          validate(submission, principal, attempt.ids[index] ?? null)
        )
        attempt.quota = await limitRate(principal, items.length)
        const admitted = await rejectEach(admit(attempt.decisions, attempt.quota), limitAgent)
        return eachItem(admitted, (decision) => encode(decision, headers['traceparent']))
      })
      const results = await produceEach(records)
      return await outcomes.settle(attempt, results, call.request_id)
    } catch (error) {
      throw await outcomes.reject(attempt, error)
    }
  }
}
