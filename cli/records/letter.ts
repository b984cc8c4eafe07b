/** What the headers of a dead letter say: why it is one, who condemned it, where it came from. */
import type { Message } from '../../platform/kafka/message-consumer.ts'

export interface Letter {
  readonly reason: string
  /** Which step of the group refused it. */
  readonly step: string
  readonly error: string
  /** The consumer group that refused it. */
  readonly group: string
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: bigint }
}

const numberExpression = /^\d{1,18}$/
const prefix = 'dead_letter_'

/** Null when the message is no dead letter of ours: anyone may write to a topic. */
export function letterOf({ headers }: Pick<Message, 'headers'>): Letter | null {
  const said = (name: string): string => String(headers[`${prefix}${name}`] ?? '')
  const [reason, group, topic] = [said('reason'), said('group'), said('topic')]
  const [partition, offset] = [said('partition'), said('offset')]
  const isPlace = numberExpression.test(partition) && numberExpression.test(offset)
  if (reason === '' || group === '' || topic === '' || !isPlace) return null
  return {
    ...{ reason, step: said('step'), error: said('error'), group },
    origin: { topic, partition: Number(partition), offset: BigInt(offset) }
  }
}

/** The headers that the message had before it became a dead letter. */
export function originalHeadersOf({ headers }: Pick<Message, 'headers'>): Message['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(prefix)))
}
