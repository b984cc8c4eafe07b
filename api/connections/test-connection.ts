/** POST /v1/evaluation/connections/{id}/test: one small call, and what came of it in words. */
import { JudgeError } from '../../platform/llm/judge-error.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { existing, invalidBody } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { readConnection } from './connection-rows.ts'
import type { OpenJudge } from './open-judge.ts'

export interface TestConnectionDependencies {
  readonly store: Store
  readonly openJudge: OpenJudge
}

export const testTimeoutMs = 20_000
const tokensMax = 256

export function createTestConnection({ store, openJudge }: TestConnectionDependencies) {
  const testConnection: SessionHandle = async ({ principal, params, body, signal }) => {
    const id = params['connection_id'] ?? ''
    const organizationId = principal.organization_id
    const connection = existing(
      'connection',
      await readConnection(store.of(organizationId), id),
      id
    )
    const model = (body as { model?: string }).model ?? connection.models[0]?.model
    if (model === undefined) {
      const detail = 'is required: the connection names no model'
      throw invalidBody([{ pointer: '/model', detail }])
    }
    const outcome = await tryModel(openJudge(organizationId, connection), model, signal)
    return jsonReply(200, JSON.stringify(outcome))
  }
  return testConnection
}

/** What one call came to; not being answered is an outcome as well. */
export interface ConnectionOutcome {
  readonly ok: boolean
  readonly model: string
  readonly status_reason: string | null
  /** What was wrong, in words. */
  readonly message: string | null
  readonly http_status: number | null
  readonly model_reported: string | null
  readonly latency_ms: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

const nothingReported = {
  ...{ status_reason: null, message: null, http_status: null, model_reported: null },
  ...{ latency_ms: null, input_tokens: null, output_tokens: null }
}

const request = {
  messages: [{ role: 'user', content: 'Answer with this JSON and nothing else: {"ok": true}' }],
  temperature: 0,
  max_tokens: tokensMax,
  schema: {
    type: 'object',
    required: ['ok'],
    properties: { ok: { type: 'boolean' } },
    additionalProperties: false
  },
  run_id: null
} as const

/** Never throws for anything that the server does, or does not do. */
export async function tryModel(
  client: JudgeClient,
  model: string,
  signal: AbortSignal
): Promise<ConnectionOutcome> {
  try {
    const reply = await client.complete({ ...request, model }, { signal, timeoutMs: testTimeoutMs })
    const { model_reported, latency_ms, input_tokens, output_tokens } = reply
    const report = { model_reported, latency_ms, input_tokens, output_tokens }
    return { ok: true, model, ...nothingReported, ...report }
  } catch (error) {
    const nothing = { ok: false, model, ...nothingReported }
    if (signal.aborted) return { ...nothing, status_reason: 'timeout', message: 'it took too long' }
    if (!(error instanceof JudgeError)) throw error
    const { status_reason, message, http_status } = error
    return { ...nothing, status_reason, message, http_status }
  }
}
