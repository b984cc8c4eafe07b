/** The fingerprint of a decision: tells its retry from another decision under the same id. */
import { hash } from 'node:crypto'
import type { Decision } from './decision.ts'

/**
 * SHA-256 of what the caller said; sdk_version may change between a decision and its retry, and
 * received_at always does.
 */
export function fingerprintOf(decision: Decision): Buffer {
  const { input, output, agent_id, session_id, domain, metadata } = decision
  const { input_tokens, output_tokens } = decision
  const said = [input, output, agent_id, session_id, domain, metadata, input_tokens, output_tokens]
  return hash('sha256', JSON.stringify(said), 'buffer')
}
