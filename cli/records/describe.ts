/** What a record is: a decision, an evaluation, or neither and why; in a dead letter or not. */
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { createDecodeDecision, createDecodeEvaluation } from '../../platform/registry/decoders.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { letterOf } from './letter.ts'
import type { Letter } from './letter.ts'

/** What the records of a topic are meant to be. */
export type Content = 'decision' | 'evaluation'

export type Described = { readonly message: Message; readonly letter: Letter | null } & (
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'evaluation'; readonly evaluation: Evaluation }
  | { readonly kind: 'undecodable'; readonly reason: string; readonly error: string }
)

/** As the storage group would decode it. @throws {TransientError} while the registry is away. */
export type Describe = (message: Message) => Promise<Described>

export function createDescribe(registry: Registry, content: Content): Describe {
  const decodeDecision = createDecodeDecision(registry)
  const decodeEvaluation = createDecodeEvaluation(registry)

  return async function describe(message) {
    const common = { message, letter: letterOf(message) }
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
