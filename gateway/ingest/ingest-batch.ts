/** The path of many decisions in one request: the steps of ingest.ts, item by item.
 *
 *     POST /v1/ingest/batch
 *       ├─ authenticate ─▶ 401 · 403 · 503                            the whole request
 *       ├─ parse ────────▶ 400 · 413 · 415 · 422 no decisions         the whole request
 *       ├─ validate ─────▶ an item: 422, and 400 for a line that is no JSON
 *       ├─ limit rate ───▶ an item: 429, from the first that does not fit
 *       ├─ encode ───────▶ an item: 413 · 503
 *       ├─ produce ──────▶ an item: 503
 *       └─ settle ───────▶ 202 all are queued · 207 some · 429 or 503 no valid one could be taken
 */
import type { Authenticate } from '../../auth/authenticate.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { BatchOutcomes } from './batch-outcomes.ts'
import type { TakeClientReport } from './client-report.ts'
import type { Encode } from './encode.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import { admit, each, refuseEach } from './each.ts'
import type { LimitAgent } from './limit-agent.ts'
import type { LimitRate } from './limit-rate.ts'
import { parseBatch } from './parse-batch.ts'
import type { ProduceEach } from './produce.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

export interface IngestBatchDependencies {
  readonly authenticate: Authenticate
  readonly takeClientReport: TakeClientReport
  readonly validate: Validate
  readonly limitRate: LimitRate
  readonly limitAgent: LimitAgent
  readonly encode: Encode
  readonly produceEach: ProduceEach
  readonly outcomes: BatchOutcomes
}

export function createIngestBatch(dependencies: IngestBatchDependencies) {
  const { authenticate, takeClientReport, validate, limitRate, limitAgent } = dependencies
  const { encode, produceEach, outcomes } = dependencies

  return async function ingestBatch(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const { headers } = call
    try {
      const principal = (attempt.principal = await authenticate(headers.authorization, 'ingest'))
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const batch = parseBatch(headers['content-type'], await call.readBody())
      attempt.items = batch.items
      takeClientReport(batch, principal)
      const idAt = (index: number) => idempotentId?.(principal.organization_id, index) ?? null
      attempt.ids = batch.items.map((item, index) => idOf(item) ?? idAt(index))
      attempt.decisions = each(batch.items, (submission, index) =>
        validate(submission, principal, attempt.ids[index] ?? null)
      )
      attempt.quota = await limitRate(principal, batch.items.length)
      const admitted = await refuseEach(admit(attempt.decisions, attempt.quota), limitAgent)
      const records = each(admitted, (decision) => encode(decision, headers['traceparent']))
      const results = await produceEach(records)
      return outcomes.settle(attempt, results, call.request_id)
    } catch (error) {
      throw await outcomes.refuse(attempt, error)
    }
  }
}
