/** Passes a copy of each decision to the host's `redact` and encodes the decision that it returns.
 *
 * If `redact` fails, the decision is dropped.
 */
import { composeDecision } from './compose-decision.ts'
import { encodeDecision } from './encode-decision.ts'
import type { EncodedDecision, EncodeLimits, RawDecision } from './encode-decision.ts'
import type { RedactedDecision } from './options.ts'
import { suppressErrors } from './suppress-errors.ts'
import { readEncoded } from './read-encoded.ts'

export type Redact = (decision: RedactedDecision) => unknown

/** Thrown if `redact` fails. Omits the original error, which may contain a secret. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}

/** Thrown if `redact` returns null or undefined. */
export const redacted = new Error('redact removed the decision')

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

/** @throws `redacted`, a RedactError, or the errors of `encodeDecision` */
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
  if (suppressErrors(() => typeof (result as { then?: unknown }).then) === 'function') {
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
