/** The fingerprint of a decision: tells its retry from another decision under the same id. */
import { hash } from 'node:crypto'
import type { Decision } from './decision.ts'

/**
 * SHA-256 of what the caller said; sdk_version may change between a decision and its retry, and
 * received_at always does. Length prefixes separate the texts and cost less CPU than JSON escaping.
 */
export function fingerprintOf(decision: Decision): Buffer {
  const { input, output, agent_id, session_id, domain, metadata } = decision
  const texts = [input, output, agent_id, session_id, domain, metadata]
  let said = `${decision.input_tokens},${decision.output_tokens}`
  for (const text of texts) said += text === null ? ',null' : `,${text.length}:${text}`
  return hash('sha256', said, 'buffer')
}
