/** A client: what is logged is snapshot, queued and sent; nothing here throws or blocks. */
import type { DecisionContext, DecisionInput } from './decision.ts'
import type { DropReason } from './drop-reason.ts'
import type { Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { sdkVersion } from './sdk-version.ts'
import { createUuidV7 } from './uuid-v7.ts'

export interface FlushResult {
  /** Acknowledged by the gateway. */
  readonly sent: number
  /** Given up after they were offered to the gateway. */
  readonly failed: number
  /** Given up without being offered. */
  readonly dropped: number
  /** Still here. */
  readonly pending: number
}

export interface Stats {
  readonly logged: number
  readonly sent: number
  readonly dropped: Readonly<Record<DropReason, number>>
  readonly sampledOut: number
  readonly pending: number
  readonly pendingBytes: number
  readonly retried: number
  readonly changed: number
  readonly requests: number
  readonly lastError: string | null
  /** ISO 8601. */
  readonly lastSuccessAt: string | null
}

export interface Client {
  /** Queues a decision and returns its id at once; never throws. */
  log(decision: DecisionInput): string
  /** Sends everything that was logged before; never rejects. */
  flush(options?: { readonly timeoutMs?: number | undefined }): Promise<FlushResult>
  /** `logged` is always the sum of `sent`, `sampledOut`, `pending` and all of `dropped`. */
  stats(): Stats
  /** Flushes; what is left and what is logged later is dropped. */
  close(): Promise<FlushResult>
}

export interface ClientDependencies {
  readonly settings: Settings
  readonly platform: Platform
  /** What holds where the decision is logged. */
  readonly context?: () => DecisionContext | undefined
}

export function createClient({ settings, platform, context }: ClientDependencies): Client {
  const uuidV7 = createUuidV7(platform)
  const waiting: string[] = []
  let logged = 0
  let sent = 0

  function log(decision: DecisionInput): string {
    const { inputTokens, outputTokens, ...rest } = { ...context?.(), ...decision }
    const decision_id = rest.decisionId ?? uuidV7()
    const { agentId: agent_id = settings.agentId, sessionId: session_id, domain } = rest
    const { input, output, metadata } = rest
    const tokens = { input_tokens: inputTokens, output_tokens: outputTokens }
    const who = { decision_id, agent_id, session_id, domain: domain ?? settings.domain }
    const what = { input, output, metadata, ...tokens, sdk_version: sdkVersion }
    waiting.push(JSON.stringify({ ...who, ...what }))
    logged++
    return decision_id
  }

  async function flush(): Promise<FlushResult> {
    const batch = waiting.splice(0)
    if (batch.length === 0) return { sent: 0, failed: 0, dropped: 0, pending: 0 }
    const { status } = await platform.transport({
      url: `${settings.baseUrl}/v1/ingest/batch`,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        'content-type': 'application/json',
        'x-sluice-sdk': sdkVersion
      },
      body: `{"decisions":[${batch.join(',')}]}`,
      timeoutMs: settings.timeoutMs,
      signal: new AbortController().signal
    })
    if (status !== 202) throw new Error(`status ${status}`)
    sent += batch.length
    return { sent: batch.length, failed: 0, dropped: 0, pending: 0 }
  }

  function stats(): Stats {
    const pending = logged - sent
    const none = { sampledOut: 0, retried: 0, changed: 0, requests: 0, pendingBytes: 0 }
    const dropped = {} as Stats['dropped']
    return { ...none, logged, sent, dropped, pending, lastError: null, lastSuccessAt: null }
  }
  return { log, flush, stats, close: flush }
}
