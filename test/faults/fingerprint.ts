/** What a caller said of a decision, as one short hash: equal when nothing was changed. */
import { createHash } from 'node:crypto'

/** The members of a decision that a caller sends; `input` and `metadata` are JSON text. */
export interface Content {
  readonly input: string
  readonly output: string | null
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly metadata: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

export function fingerprintOf(content: Content): string {
  const { input, output, agent_id, session_id, domain, metadata } = content
  const texts = [input, output, agent_id, session_id, domain, metadata]
  const all = JSON.stringify([...texts, content.input_tokens, content.output_tokens])
  return createHash('sha256').update(all).digest('base64url')
}
