/** Creates the judge client of a connection, and tests a model with one short request. */
import { createJudgeClient } from '../../platform/llm/judge-client.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { JudgeError } from '../../platform/llm/judge-error.ts'
import type { Services } from '../services.ts'
import type { StoredConnection } from './queries.ts'

/**
 * Decrypts the key of a stored connection and creates its client.
 * @throws {Problem} 409 if this gateway lacks the SECRETS_KEY that encrypted the key
 */
export function openJudge(
  { clock, outbound, secrets }: Pick<Services, 'clock' | 'outbound' | 'secrets'>,
  organizationId: string,
  connection: StoredConnection
): JudgeClient {
  const { connection_id, base_url, models, api_key_sealed } = connection
  const api_key =
    api_key_sealed === null ? null : secrets.open(api_key_sealed, organizationId, connection_id)
  return createJudgeClient({ base_url, api_key, models }, { fetch: outbound.fetch, clock })
}

const testTimeoutMs = 20_000

const request = {
  messages: [{ role: 'user', content: 'Answer with this JSON and nothing else: {"ok": true}' }],
  temperature: 0,
  max_tokens: 256,
  schema: {
    type: 'object',
    required: ['ok'],
    properties: { ok: { type: 'boolean' } },
    additionalProperties: false
  },
  run_id: null
} as const

const nothing = {
  ok: false,
  status_reason: null,
  message: null,
  http_status: null,
  model_reported: null,
  latency_ms: null,
  input_tokens: null,
  output_tokens: null
}

/** Tests a model with one call. Returns errors of the call as a result instead of throwing them. */
export async function testModel(client: JudgeClient, model: string, signal: AbortSignal) {
  try {
    const reply = await client.complete({ ...request, model }, { signal, timeoutMs: testTimeoutMs })
    const { model_reported, latency_ms, input_tokens, output_tokens } = reply
    const usage = { input_tokens, output_tokens }
    return { ...nothing, ok: true, model, model_reported, latency_ms, ...usage }
  } catch (error) {
    if (signal.aborted) {
      return { ...nothing, model, status_reason: 'timeout', message: 'the call took too long' }
    }
    if (!(error instanceof JudgeError)) throw error
    const { status_reason, message, http_status } = error
    return { ...nothing, model, status_reason, message, http_status }
  }
}
