/** Ingests one decision: runs each step of its path through the gateway. Read this file first.
 *
 *     POST /v1/ingest
 *       ├─ authenticate ─▶ 401 missing or invalid key · 403 missing scope · 503 key not verifiable
 *       │                  429 rate limit used up, before the body is read
 *       ├─ parse ────────▶ 400 malformed JSON or encoding · 413 too large · 415 not JSON in UTF-8
 *       ├─ validate ─────▶ 422 invalid decision, with a pointer to every error
 *       ├─ rate-limit ───▶ 429 rate limit reached, with Retry-After
 *       ├─ encode ───────▶ 413 encoded decision too large · 503 schema not loaded
 *       ├─ produce ──────▶ 503 Kafka unavailable, or too many bytes in flight
 *       └─ acknowledge ──▶ 202, only after every in-sync replica has the record
 *
 * Every request has exactly one outcome: queued, or rejected with a reason. Parsing a long body
 * yields to the event loop, and each organization may have only one long body at a time in the
 * steps from parse to encode. ingest-batch.ts runs the same steps for each item of a batch.
 */
import { isLong } from '../../core/json/steps.ts'
import type { Authenticate } from '../../auth/authenticate.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import { runStepsYielding } from '../../platform/process/yield-to-event-loop.ts'
import type { EncodeDecision } from './encode.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import type { LimitAgent } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'
import { parse, parseSteps } from './parse.ts'
import type { Produce } from './produce.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

interface IngestDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly validate: Validate
  readonly limitRate: LimitRate
  readonly limitAgent: LimitAgent
  readonly encode: EncodeDecision
  readonly produce: Produce
  readonly outcomes: Outcomes
}

export function createIngest(dependencies: IngestDependencies) {
  const { authenticate, findSpent, shareLong, validate, limitRate, limitAgent } = dependencies
  const { encode, produce, outcomes } = dependencies

  return async function ingest(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const { headers } = call
    try {
      const principal = (attempt.principal = await authenticate(headers.authorization, 'ingest'))
      const { organization_id: organizationId } = principal
      const spent = (attempt.quota = findSpent(principal))
      if (spent !== null) throw spent.problem
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const record = await call.useBody({ sharedBy: organizationId, inShare }, async (body) => {
        const contentType = headers['content-type']
        const submission = (attempt.submission = isLong(body)
          ? await runStepsYielding(parseSteps(contentType, body))
          : parse(contentType, body))
        const id = idOf(submission) ?? idempotentId?.(organizationId) ?? null
        attempt.decision = validate(submission, principal, id)
        attempt.quota = await limitRate(principal, 1)
        const problem = attempt.quota.problem ?? (await limitAgent(attempt.decision))
        if (problem !== null) throw problem
        return encode(attempt.decision, headers['traceparent'])
      })
      await produce(record)
      return outcomes.acknowledge(attempt)
    } catch (error) {
      throw await outcomes.reject(attempt, error)
    }
  }
}
