/** POST /v1/auth/onboarding/test-event: a decision through the same line as all others. */
import { parseApiKey } from '../../core/ids/api-key.ts'
import type { Clock } from '../../core/clock.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { jsonReply } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { Handle, SessionHandle } from '../../http/route.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { auditOriginOf } from '../organization/record-audit.ts'
import { withPassingKey } from './passing-key.ts'

export interface SendTestEventDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly rateLimiter: RateLimiter
  readonly pepper: string
  /** What answers POST /v1/ingest; null where GATEWAY_ROUTES has another gateway do it. */
  readonly ingest: Handle | null
}

export const testsPerMinute = 20
export const testAgentId = 'sluice-onboarding'

export function createSendTestEvent(dependencies: SendTestEventDependencies): SessionHandle {
  const { store, clock, rateLimiter, pepper, ingest } = dependencies

  return async function sendTestEvent(call) {
    if (ingest === null) throw ingestElsewhere()
    const { organization_id } = call.principal
    const ours = store.of(organization_id)
    const { api_key: given } = call.body as { api_key?: string | null }
    await takeTurn(rateLimiter, organization_id)
    if (given) await refuseForeign(ours, given)
    const decision_id = uuidv7(clock.now())
    const send = (key: string) => answerOf(ingest, ingestCallOf(call, key, decision_id))
    const passing = { store: ours, pepper, now: clock.now(), origin: auditOriginOf(call) }
    const { status, body } = given ? await send(given) : await withPassingKey(passing, send)
    const answer = {
      decision_id,
      answer: { status, body: JSON.parse(body) as unknown },
      look: {
        receipt: `/v1/ingest/${decision_id}?wait=10`,
        decision: `/v1/decisions/${decision_id}?wait=10`,
        evaluation: `/v1/evaluation/${decision_id}?wait=10`
      }
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}

/** The refusal is what the caller wants to see, so it is an answer here. */
async function answerOf(ingest: Handle, call: Call): Promise<Reply> {
  try {
    return await ingest(call)
  } catch (error) {
    if (error instanceof Problem) return problemReply(error, call.request_id)
    throw error
  }
}

function ingestCallOf(call: Call, apiKey: string, decision_id: string): Call {
  const body = Buffer.from(
    JSON.stringify({
      decision_id,
      agent_id: testAgentId,
      input: { question: 'Does this arrive?' },
      output: 'It does.',
      metadata: { test: true }
    })
  )
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return {
    request_id: call.request_id,
    remote_address: call.remote_address,
    ...{ headers, params: {}, query: {} },
    useBody: (_limits, use) => use(body),
    body_bytes: body.length,
    signal: call.signal
  }
}

/** One that is garbled is for the line to refuse; it says what is wrong with it. */
async function refuseForeign(store: OrganizationStore, apiKey: string): Promise<void> {
  const parts = parseApiKey(apiKey)
  if (parts === null) return
  const rows = await store.query(
    'select key_id from api_keys where organization_id = $1 and key_id = $2',
    [store.organizationId, parts.key_id]
  )
  if (rows.length > 0) return
  const errors = [{ pointer: '/api_key', detail: 'is no key of this organization' }]
  throw new Problem('invalid_body', { detail: 'The key is none of this organization.', errors })
}

async function takeTurn(rateLimiter: RateLimiter, organizationId: string): Promise<void> {
  const limit = { points: testsPerMinute, windowSeconds: 60 }
  const { granted, resetMs } = await rateLimiter.take(`test-event:${organizationId}`, limit, 1)
  if (granted > 0) return
  throw new Problem('rate_limited', {
    detail: `An organization sends ${testsPerMinute} test events a minute.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(resetMs / 1000))) }
  })
}

function ingestElsewhere(): Problem {
  const detail = 'This gateway takes no decisions; send one to the gateway that does, with a key.'
  return new Problem('ingest_elsewhere', { detail })
}
