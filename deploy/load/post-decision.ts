/** Posts one generated decision as an agent would, and returns its outcome. */
import type { LoadOutcome } from './send-load.ts'

const timeoutMs = 15_000
const agents = 5

export interface Target {
  /** Base URL of the gateway, for example http://gateway:8080 */
  readonly url: string
  readonly apiKey: string
}

/** Returns a generated decision of a typical size. */
export function decisionOf(index: number) {
  return {
    decision_id: crypto.randomUUID(),
    agent_id: `load-${(index % agents) + 1}`,
    session_id: `load-session-${Math.floor(index / (10 * agents)) + 1}`,
    input: { question: `How much is ${index} + ${index}?`, context: 'arithmetic '.repeat(20) },
    output: String(index + index),
    metadata: { model: 'made-up', latency_ms: index % 97 }
  }
}

/** Sends a decision. Never rejects; an error is returned as an outcome. */
export async function postDecision(
  { url, apiKey }: Target,
  decision: object
): Promise<LoadOutcome> {
  try {
    const response = await fetch(`${url}/v1/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(decision),
      signal: AbortSignal.timeout(timeoutMs)
    })
    const body = (await response.json()) as { readonly code?: string }
    return response.status === 202
      ? 'acknowledged'
      : `rejected: ${response.status} ${body.code ?? ''}`
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: { code?: string } }
    return `no response: ${cause?.code ?? (name === 'TimeoutError' ? name : message)}`
  }
}
