/** One decision of the load, as an agent would post it, and what became of it. */
import type { Outcome } from './send-load.ts'

const timeoutMs = 15_000
const agents = 5

export interface Target {
  /** Such as http://gateway:8080 */
  readonly url: string
  readonly apiKey: string
}

/** Made up, and about as long as those of small agents. */
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

/** Never rejects: what goes wrong is an outcome too. */
export async function postDecision({ url, apiKey }: Target, decision: object): Promise<Outcome> {
  try {
    const answer = await fetch(`${url}/v1/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(decision),
      signal: AbortSignal.timeout(timeoutMs)
    })
    const body = (await answer.json()) as { readonly code?: string }
    return answer.status === 202 ? 'acknowledged' : `refused: ${answer.status} ${body.code ?? ''}`
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: { code?: string } }
    return `no answer: ${cause?.code ?? (name === 'TimeoutError' ? name : message)}`
  }
}
