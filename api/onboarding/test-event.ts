/** Sends a test event: a decision through the ingest path, with a given or a temporary API key. */
import { parseApiKey } from '../../core/ids/api-key.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { Handle } from '../../http/route.ts'
import type { Static } from '../../http/schema.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { insertApiKey } from '../../store/insert-api-key.ts'
import type { EditCall } from '../organization/record-audit.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import type { newTestEvent } from './schemas.ts'

export const testsPerMinute = 20
export const testAgentId = 'sluice-onboarding'

type TestEventCall = EditCall &
  Pick<Call, 'signal'> & { readonly body: Static<typeof newTestEvent> }

/**
 * Sends the event with the API key from the body, or with a temporary key if that key is absent,
 * null or ''.
 * @returns the response of the ingest path
 */
export async function sendTestEvent(call: TestEventCall, services: Services) {
  const { store, clock, rateLimiter, config, ingest } = services
  const { api_key: apiKey } = call.body
  if (config.GATEWAY_ROUTES === 'api') {
    const detail =
      'This gateway does not accept decisions. Send one, with an API key, to a gateway that does.'
    throw new Problem('ingest_elsewhere', { detail })
  }
  const { organization_id } = call.principal
  const ours = store.of(organization_id)
  await limitTestEvents(rateLimiter, organization_id)
  if (apiKey) await refuseUnownedKey(ours, apiKey)
  const decision_id = uuidv7(clock.now())
  const send = (key: string) => callIngest(ingest, ingestCallOf(call, key, decision_id))
  const answer = await (apiKey ? send(apiKey) : withTemporaryKey(call, services, send))
  return { ...answer, decision_id }
}

/**
 * Calls the ingest handler. Converts a thrown problem to a response, because the test event reports
 * the response of the ingest path.
 */
async function callIngest(ingest: Handle, call: Call): Promise<Reply> {
  try {
    return await ingest(call)
  } catch (error) {
    if (error instanceof Problem) return problemReply(error, call.request_id)
    throw error
  }
}

function ingestCallOf(call: TestEventCall, apiKey: string, decision_id: string): Call {
  const body = Buffer.from(
    JSON.stringify({
      decision_id,
      agent_id: testAgentId,
      input: { question: 'Does this arrive?' },
      output: 'It does.',
      metadata: { test: true }
    })
  )
  return {
    request_id: call.request_id,
    remote_address: call.remote_address,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    params: {},
    query: {},
    useBody: (_limits, use) => use(body),
    body_bytes: body.length,
    signal: call.signal
  }
}

/**
 * Rejects a key that does not belong to the organization. Malformed keys pass, because the ingest
 * path reports their errors.
 */
async function refuseUnownedKey(ours: OrganizationStore, apiKey: string): Promise<void> {
  const parts = parseApiKey(apiKey)
  if (parts === null) return
  const rows = await query(
    ours,
    sql`select key_id from api_keys
         where organization_id = ${ours.organizationId} and key_id = ${parts.key_id}`
  )
  if (rows.length > 0) return
  const errors = [{ pointer: '/api_key', detail: 'is not a key of this organization' }]
  throw new Problem('invalid_body', {
    detail: 'The API key does not belong to this organization.',
    errors
  })
}

async function limitTestEvents(rateLimiter: RateLimiter, organizationId: string): Promise<void> {
  const limit = { points: testsPerMinute, windowSeconds: 60 }
  const { granted, resetMs } = await rateLimiter.take(`test-event:${organizationId}`, limit, 1)
  if (granted > 0) return
  throw new Problem('rate_limited', {
    detail: `An organization can send ${testsPerMinute} test events a minute.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(resetMs / 1000))) }
  })
}

/** Lifetime of a temporary key in milliseconds, in case it cannot be revoked. */
const livesMs = 60_000

/**
 * Sends the event with a temporary key, which is revoked afterwards and never returned to users.
 */
async function withTemporaryKey(
  call: TestEventCall,
  { store, clock, config }: Services,
  send: (apiKey: string) => Promise<Reply>
): Promise<Reply> {
  const { organization_id, user_id } = call.principal
  const ours = store.of(organization_id)
  const origin = auditOriginOf(call)
  const { key_id, api_key } = await ours.change(async (transaction) => {
    const shown = { name: 'test event', scopes: ['ingest'] } as const
    const key = await insertApiKey(transaction, config.API_KEY_PEPPER, {
      ...shown,
      organization_id,
      environment: 'test',
      rate_limit_points: null,
      expires_at: new Date(clock.now() + livesMs),
      created_by: user_id
    })
    const details = { ...shown, lives_seconds: livesMs / 1000 }
    await recordAudit(transaction, origin, { action: 'api_key.created', id: key.key_id, details })
    return key
  })
  const revoke = sql`
    update api_keys set revoked_at = now()
     where organization_id = ${organization_id} and key_id = ${key_id}`
  try {
    return await send(api_key)
  } finally {
    await ours
      .change(async (transaction) => {
        await query(transaction, revoke)
        await recordAudit(transaction, origin, { action: 'api_key.revoked', id: key_id })
      })
      // Ignore errors: the event has been sent, and the key expires anyway.
      .catch(() => {})
  }
}
