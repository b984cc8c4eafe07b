/** The path of many decisions in one request: the steps of ingest.ts, item by item.
 *
 *     POST /v1/ingest/batch
 *       ├─ authenticate ─▶ 401 · 403 · 503, and 429 before the body   the whole request
 *       ├─ parse ────────▶ 400 · 413 · 415 · 422 no decisions         the whole request
 *       ├─ validate ─────▶ an item: 422, and 400 for a line that is no JSON
 *       ├─ limit rate ───▶ an item: 429, from the first that does not fit
 *       ├─ encode ───────▶ an item: 413 · 503
 *       ├─ produce ──────▶ an item: 503
 *       └─ settle ───────▶ 202 all are queued · 207 some · 429 or 503 no valid one could be taken
 *
 * Of a long body each step is taken in turns, and of an organization one such body at a time.
 */
import { isLong } from '../../core/json/steps.ts'
import type { Authenticate } from '../../auth/authenticate.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import { runInTurns } from '../../platform/process/yield-turn.ts'
import type { BatchOutcomes } from './batch-outcomes.ts'
import type { TakeClientReport } from './client-report.ts'
import type { Encode } from './encode.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import { admit, each, eachInTurns, refuseEach } from './each.ts'
import type { EachItem } from './each.ts'
import type { LimitAgent } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import { parseBatch, parseBatchSteps } from './parse-batch.ts'
import type { ProduceEach } from './produce.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

export interface IngestBatchDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly takeClientReport: TakeClientReport
  readonly validate: Validate
  readonly limitRate: LimitRate
  readonly limitAgent: LimitAgent
  readonly encode: Encode
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
      if (spent !== null) throw spent.refusal
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const records = await call.useBody({ sharedBy: organizationId, inShare }, async (body) => {
        const contentType = headers['content-type']
        const eachItem: EachItem = isLong(body) ? eachInTurns : each
        const batch = isLong(body)
          ? await runInTurns(parseBatchSteps(contentType, body))
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
        const admitted = await refuseEach(admit(attempt.decisions, attempt.quota), limitAgent)
        return eachItem(admitted, (decision) => encode(decision, headers['traceparent']))
      })
      const results = await produceEach(records)
      return await outcomes.settle(attempt, results, call.request_id)
    } catch (error) {
      throw await outcomes.refuse(attempt, error)
    }
  }
}
