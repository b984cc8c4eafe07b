/** Ingests one decision: runs each step of its path through the gateway. Read this file first.
 *
 *     POST /v1/ingest
 *       ├─ authenticate ─▶ 401 missing or invalid key · 403 missing scope · 503 key not verifiable
 *       │                  429 rate limit used up, before the body is read
 *       ├─ parse ────────▶ 400 malformed JSON or encoding · 413 too large · 415 not JSON in UTF-8
 *       ├─ validate ─────▶ 422 invalid decision, with a pointer to every error
 *       ├─ encode ───────▶ 413 encoded decision too large · 503 schema not loaded
 *       ├─ rate-limit ───▶ 429 rate limit reached, with Retry-After
 *       ├─ produce ──────▶ 503 Kafka unavailable, or too many bytes in flight
 *       └─ acknowledge ──▶ 202, only after every in-sync replica has the record
 *
 * Every request has exactly one outcome: queued, or rejected with a reason. Parsing a long body
 * yields to the event loop, and each organization may have only one long body at a time in the
 * steps from parse to encode, which are in read-decisions.ts. ingest-batch.ts runs the same steps
 * for each item of a batch.
 */
import type { Authenticate } from '../../auth/authenticate.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import { idempotentIdOf } from './idempotent-id.ts'
import type { LimitAgents } from './limit-agent.ts'
import type { FindSpent, LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'
import type { Produce } from './produce.ts'
import type { ReadDecisions } from './read-decisions.ts'

interface IngestDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  /** Reads a batch of one decision. */
  readonly readOne: ReadDecisions
  readonly limitRate: LimitRate
  readonly limitAgents: LimitAgents
  readonly produce: Produce
  readonly outcomes: Outcomes
}

export function createIngest(dependencies: IngestDependencies) {
  const { authenticate, findSpent, shareLong, readOne, limitRate, limitAgents } = dependencies
  const { produce, outcomes } = dependencies

  return async function ingest(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const { headers } = call
    try {
      const principal = (attempt.principal = await authenticate(headers.authorization, 'ingest'))
      const { organization_id: organizationId } = principal
      const spent = (attempt.quota = findSpent(principal))
      if (spent !== null) throw spent.problem
      const idempotentId = idempotentIdOf(headers['idempotency-key'])
      const idAt = () => idempotentId?.(organizationId) ?? null
      const inShare: WorkShare = (work) => shareLong(organizationId, work)
      const batch = (attempt.batch = await call.useBody(
        { sharedBy: organizationId, inShare },
        (body) => readOne(body, { headers, principal, idAt })
      ))
      batch.throwRejected()
      attempt.quota = await limitRate(principal, 1)
      batch.admit(attempt.quota)
      await limitAgents(batch, organizationId)
      await produce(batch)
      batch.throwRejected()
      return outcomes.acknowledge(attempt)
    } catch (error) {
      throw await outcomes.reject(attempt, error)
    } finally {
      attempt.batch?.release()
    }
  }
}
