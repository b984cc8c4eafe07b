/** Hashes the content of a decision, so that changes are detected. */
import { createHash } from 'node:crypto'

/** Fields of a decision that the caller sets. `input` and `metadata` are JSON text. */
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
