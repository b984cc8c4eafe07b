/** The path of one decision through the gateway. Read this file first.
 *
 *     POST /v1/ingest
 *       ├─ authenticate ─▶ 401 missing or invalid key · 403 key lacks the scope · 503 keys away
 *       │                  429 if the rate limit is used up, before the body is read
 *       ├─ parse ────────▶ 400 malformed JSON or encoding · 413 too large · 415 not JSON in UTF-8
 *       ├─ validate ─────▶ 422 invalid decision, every problem with its pointer
 *       ├─ limit rate ───▶ 429 with Retry-After
 *       ├─ encode ───────▶ 413 decision too large · 503 schema id not known yet
 *       ├─ produce ──────▶ 503 log unavailable, or too much in flight
 *       └─ acknowledge ──▶ 202, only after every in-sync replica has the record
 *
 * A long body is parsed in turns, and of an organization one at a time is parsed to encoded. Many
 * decisions in one request go the same way, in ingest-batch.ts.
 */
import { isLong } from '../../core/json/steps.ts'
import type { Authenticate } from '../../auth/authenticate.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import { runInTurns } from '../../platform/process/yield-turn.ts'
import type { Encode } from './encode.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import type { LimitAgent } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'
import { parse, parseSteps } from './parse.ts'
import type { Produce } from './produce.ts'
import { idOf } from './validate.ts'
import type { Validate } from './validate.ts'

export interface IngestDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly validate: Validate
  readonly limitRate: LimitRate
  readonly limitAgent: LimitAgent
  readonly encode: Encode
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
      if (spent !== null) throw spent.refusal
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const record = await call.useBody({ sharedBy: organizationId, inShare }, async (body) => {
        const contentType = headers['content-type']
        const submission = (attempt.submission = isLong(body)
          ? await runInTurns(parseSteps(contentType, body))
          : parse(contentType, body))
        const id = idOf(submission) ?? idempotentId?.(organizationId) ?? null
        attempt.decision = validate(submission, principal, id)
        attempt.quota = await limitRate(principal, 1)
        const refusal = attempt.quota.refusal ?? (await limitAgent(attempt.decision))
        if (refusal !== null) throw refusal
        return encode(attempt.decision, headers['traceparent'])
      })
      await produce(record)
      return outcomes.acknowledge(attempt)
    } catch (error) {
      throw await outcomes.refuse(attempt, error)
    }
  }
}
