/** Converts a dead-letter record to a row of the index that the API lists. */
import { identityNameOf } from '../../../core/decision/decision.ts'
import type { Decision, DecisionIdentity } from '../../../core/decision/decision.ts'
import type { ErasureSubject } from '../../../core/decision/erasure.ts'
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { isUuid, uuidv5 } from '../../../core/ids/ids.ts'
import { contentHashOf, originalHeadersOf } from '../../../platform/kafka/dead-letter-origin.ts'
import { parseDeadLetter } from '../../../platform/kafka/dead-letter-origin.ts'
import type { DeadLetterOrigin } from '../../../platform/kafka/dead-letter-origin.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import type { Decoded } from '../../../platform/registry/decode.ts'

export interface IndexEntry extends ErasureSubject {
  readonly dead_letter_id: string
  readonly message: Message
  readonly deadLetter: DeadLetterOrigin
  readonly content_hash: Buffer
  /** JSON list of the headers of the original message, as pairs of name and value. */
  readonly headers: string
  readonly value: Buffer
  /** JSON of the decoded value; null if it cannot be decoded or is too large. */
  readonly decoded: string | null
  /** Whether the value could be decoded. If not, `received_at` is the time of the record. */
  readonly isDecoded: boolean
}

/** Decodes the values of one topic: decisions or evaluations. */
export type DecodeValue = (message: Message) => Promise<Decoded<Decision | Evaluation>>

/** Maximum length of the decoded value in the index, in characters. */
const decodedCharactersMax = 256 * 1024
/** Namespace of the ids. Never change it: users keep links to dead-letter records. */
const namespace = 'f6a0d1c4-2b9e-5c37-8e15-7d40a9b3c862'

/**
 * Returns the entry of a record, or null if only the operator may see the record. This is the case
 * if the record does not name its organization and decision, if its headers and its value name
 * different ones, or if it is not the dead-letter record of a message on `originTopic`.
 * @throws {TransientError} while the writer's schema cannot be fetched
 */
export async function readEntry(
  message: Message,
  originTopic: string,
  decode: DecodeValue
): Promise<IndexEntry | null> {
  const deadLetter = parseDeadLetter(message)
  const identity = identityOf(message)
  if (deadLetter?.origin.topic !== originTopic || identity === null) return null
  const decoded = await decode(message)
  const value = decoded.kind === 'decoded' ? decoded.value : null
  if (value !== null && identityNameOf(value) !== identityNameOf(identity)) return null
  const headers = Object.entries(originalHeadersOf(message))
  return {
    ...identity,
    ...subjectOf(value, message),
    dead_letter_id: idOf(message),
    message,
    deadLetter,
    content_hash: contentHashOf(message),
    headers: JSON.stringify(headers.map(([name, header]) => [name, String(header)])),
    value: message.value ?? Buffer.alloc(0),
    decoded: decodedJson(value),
    isDecoded: value !== null
  }
}

/**
 * Returns the identity that the gateway writes to the headers, or null if it is missing or invalid
 * or if the record has an invalid timestamp.
 */
function identityOf({ headers, timestamp }: Message): DecisionIdentity | null {
  const organization_id = String(headers['organization_id'])
  const decision_id = String(headers['decision_id'])
  if (!isUuid(organization_id) || !isUuid(decision_id) || !isTime(timestamp)) return null
  return { organization_id, decision_id }
}

function subjectOf(value: Decision | Evaluation | null, { timestamp }: Message) {
  if (value === null) return { agent_id: null, session_id: null, received_at: timestamp }
  const { agent_id, session_id, received_at } = value
  return { agent_id, session_id, received_at }
}

function isTime(timestamp: number): boolean {
  return timestamp >= 0 && !Number.isNaN(new Date(timestamp).getTime())
}

function idOf({ topic, partition, offset, timestamp }: Message): string {
  return uuidv5(namespace, `${topic}/${partition}/${offset}/${timestamp}`)
}

function decodedJson(value: Decision | Evaluation | null): string | null {
  if (value === null) return null
  const json = JSON.stringify({ ...value, received_at: new Date(value.received_at) })
  return json.length > decodedCharactersMax ? null : json
}
