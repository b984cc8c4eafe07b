/** Fingerprint of a decision: distinguishes a retry from a different decision with the same id. */
import { hash } from 'node:crypto'
import type { Decision } from './decision.ts'

/**
 * Returns the SHA-256 of the caller's fields except sdk_version, which may change between a
 * decision and its retry. Length prefixes separate the fields, because they cost less CPU than JSON
 * escaping.
 */
export function fingerprintOf(decision: Decision): Buffer {
  const { input, output, agent_id, session_id, domain, metadata } = decision
  const texts = [input, output, agent_id, session_id, domain, metadata]
  let said = `${decision.input_tokens},${decision.output_tokens}`
  for (const text of texts) said += text === null ? ',null' : `,${text.length}:${text}`
  return hash('sha256', said, 'buffer')
}
