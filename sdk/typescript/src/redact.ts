/** The one place where a decision is changed on its way out: `redact` sees a copy of all that would
 * be sent, and what it returns is encoded again. When in doubt nothing is sent.
 */
import { composeDecision } from './compose-decision.ts'
import { encodeDecision } from './encode-decision.ts'
import type { EncodedDecision, EncodeLimits, RawDecision } from './encode-decision.ts'
import type { RedactedDecision } from './options.ts'
import { quietly } from './quietly.ts'
import { readEncoded } from './read-encoded.ts'

export type Redact = (decision: RedactedDecision) => unknown

/** Thrown when `redact` itself failed, without what it threw: that may tell what is secret. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}

/** Thrown when `redact` answers with nothing. */
export const redacted = new Error('the decision is not meant to be sent')

interface Copy {
  decision_id: string
  agent_id?: string
  session_id?: string
  domain?: string
  input: unknown
  output: string
  metadata?: Record<string, unknown>
  input_tokens?: number
  output_tokens?: number
}

/** Throws as `encodeDecision` does, `redacted`, or a RedactError. */
export function redactDecision(
  decision: RawDecision,
  redact: Redact,
  limits: EncodeLimits
): EncodedDecision {
  const first = encodeDecision(decision, limits)
  const given = callRedact(redact, copyOf(first.text))
  const again = composeDecision(given, undefined, { agentId: null, domain: null })
  const { decisionId } = decision
  const second = encodeDecision({ ...again, decisionId }, limits)
  return { ...second, changes: first.changes + second.changes }
}

function callRedact(redact: Redact, copy: RedactedDecision): object {
  let result: unknown
  try {
    result = redact(copy)
  } catch {
    throw new RedactError('redact threw')
  }
  if (result === null || result === undefined) throw redacted
  if (typeof result !== 'object') throw new RedactError('redact returned no decision')
  if (quietly(() => typeof (result as { then?: unknown }).then) === 'function') {
    Promise.resolve(result).catch(() => undefined)
    throw new RedactError('redact returned a promise')
  }
  return result
}

function copyOf(text: string): RedactedDecision {
  const copy = readEncoded(text) as Copy
  const { decision_id: decisionId, input, output } = copy
  const { agent_id: agentId, session_id: sessionId, domain, metadata } = copy
  const { input_tokens: inputTokens, output_tokens: outputTokens } = copy
  const all = Object.entries({
    decisionId,
    input,
    output,
    agentId,
    sessionId,
    domain,
    metadata,
    inputTokens,
    outputTokens
  })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as never
}
