/** Parses the headers of a dead-letter record: reason, consumer group and origin. */
import { hash } from 'node:crypto'
import type { Message } from './message-consumer.ts'

export interface DeadLetterOrigin {
  readonly reason: string
  /** Step that rejected the message. */
  readonly step: string
  readonly error: string
  /** Consumer group that rejected the message. */
  readonly group: string
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: bigint }
}

const numberExpression = /^\d{1,18}$/
/** Greatest partition number, because Kafka and the index store partition numbers in 32 bits. */
const partitionMax = 2 ** 31 - 1
const prefix = 'dead_letter_'

/** Parses the headers. Returns null for a record that Sluice did not write. */
export function parseDeadLetter({ headers }: Pick<Message, 'headers'>): DeadLetterOrigin | null {
  const headerOf = (name: string): string => String(headers[`${prefix}${name}`] ?? '')
  const [reason, group, topic] = [headerOf('reason'), headerOf('group'), headerOf('topic')]
  const [partition, offset] = [headerOf('partition'), headerOf('offset')]
  const isNumbers = numberExpression.test(partition) && numberExpression.test(offset)
  const isPosition = isNumbers && Number(partition) <= partitionMax
  if (reason === '' || group === '' || topic === '' || !isPosition) return null
  return {
    reason,
    step: headerOf('step'),
    error: headerOf('error'),
    group,
    origin: { topic, partition: Number(partition), offset: BigInt(offset) }
  }
}

/** Header of a message that storage has written back to its topic at an organization's request. */
const replayHeader = `${prefix}replay`

/** Returns the headers of a message to write back to its topic at an organization's request. */
export function replayHeadersOf(message: Pick<Message, 'headers'>): Message['headers'] {
  return { ...originalHeadersOf(message), [replayHeader]: 'api' }
}

/** Checks whether the message was written back to its topic at an organization's request. */
export function isReplay({ headers }: Pick<Message, 'headers'>): boolean {
  return headers[replayHeader] !== undefined
}

/** Returns the headers of the original message. */
export function originalHeadersOf({ headers }: Pick<Message, 'headers'>): Message['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(prefix)))
}

/**
 * Returns the SHA-256 of the content of a message. Dead-letter records with the same origin but
 * different content belong to different messages: a recreated topic reuses offsets, and anyone who
 * can write dead-letter records can forge an origin.
 */
export function contentHashOf({ key, value }: Pick<Message, 'key' | 'value'>): Buffer {
  const parts = [key ?? Buffer.from('none'), Buffer.from([key === null ? 0 : 1]), value ?? '']
  return hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'buffer')
}
