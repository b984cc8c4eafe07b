/** Decodes a record to a decision, an evaluation or an error. */
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { createDecodeDecision, createDecodeEvaluation } from '../../platform/registry/decoders.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { parseDeadLetter } from '../../platform/kafka/dead-letter-origin.ts'
import type { DeadLetterOrigin } from '../../platform/kafka/dead-letter-origin.ts'

/** Expected content of a topic. */
export type RecordContent = 'decision' | 'evaluation'

export type DecodedRecord = {
  readonly message: Message
  readonly deadLetter: DeadLetterOrigin | null
} & (
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'evaluation'; readonly evaluation: Evaluation }
  | { readonly kind: 'undecodable'; readonly reason: string; readonly error: string }
)

/**
 * Decodes a record in the same way as the storage group.
 * @throws {TransientError} if the schema registry is unavailable
 */
type DecodeRecord = (message: Message) => Promise<DecodedRecord>

export function createDecodeRecord(registry: Registry, content: RecordContent): DecodeRecord {
  const decodeDecision = createDecodeDecision(registry)
  const decodeEvaluation = createDecodeEvaluation(registry)

  return async function describe(message) {
    const common = { message, deadLetter: parseDeadLetter(message) }
    if (content === 'decision') {
      const decoded = await decodeDecision(message)
      return decoded.kind === 'decoded'
        ? { ...common, kind: 'decision', decision: decoded.value }
        : { ...common, kind: 'undecodable', reason: decoded.reason, error: decoded.error }
    }
    const decoded = await decodeEvaluation(message)
    return decoded.kind === 'decoded'
      ? { ...common, kind: 'evaluation', evaluation: decoded.value }
      : { ...common, kind: 'undecodable', reason: decoded.reason, error: decoded.error }
  }
}
