/** Provides fakes for tests of consumers: a batch that records calls, a producer and a registry. */
import type { AvroSchema } from '../../../platform/avro/avro-codec.ts'
import type { Message, MessageBatch } from '../../../platform/kafka/message-consumer.ts'
import type { OutgoingRecord, RecordProducer } from '../../../platform/kafka/record-producer.ts'
import type { Registry } from '../../../platform/registry/schema-registry.ts'
import type { DeadLetterLimit } from '../../../consumers/dead-letter-limit.ts'
import { noon } from '../../support/builders.ts'

export function aMessage(overrides: Partial<Message> = {}): Message {
  return {
    topic: 'agent-decisions',
    partition: 3,
    offset: 0n,
    key: Buffer.from('refund-agent'),
    value: Buffer.from('value'),
    headers: {},
    timestamp: noon,
    ...overrides
  }
}

/** Creates messages with the given values, at offsets 0, 1, 2, … */
export function messagesOf(...values: (string | Buffer | null)[]): Message[] {
  return values.map((value, index) => {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value
    return aMessage({ offset: BigInt(index), value: bytes })
  })
}

/** A batch that records its calls in `events`, which other fakes can share. */
export class FakeBatch implements MessageBatch {
  readonly topic = 'agent-decisions'
  readonly partition = 3
  readonly messages: readonly Message[]
  readonly events: string[]
  nextOffset: bigint
  epochFailure: Error | null = null
  heartbeats = 0
  isRevoked = false
  heartbeatFailure: Error | null = null
  readonly pauses: number[] = []

  constructor(messages: readonly Message[], events: string[] = []) {
    this.messages = messages
    this.events = events
    this.nextOffset = (messages.at(-1)?.offset ?? -1n) + 1n
  }

  async epoch(): Promise<number> {
    if (this.epochFailure !== null) throw this.epochFailure
    return 7
  }

  async heartbeat(): Promise<void> {
    this.heartbeats += 1
    if (this.heartbeatFailure !== null) throw this.heartbeatFailure
  }

  isOver(): boolean {
    return this.isRevoked
  }

  async commit(): Promise<void> {
    this.events.push('commit')
  }

  /**
   * Returns the messages before the offset as a batch that records its calls in the same events.
   */
  before(offset: bigint): FakeBatch {
    const earlier = this.messages.filter((message) => message.offset < offset)
    this.events.push(`before ${offset}`)
    return new FakeBatch(earlier, this.events)
  }

  pauseFor(ms: number): void {
    this.pauses.push(ms)
  }
}

/** A limit that is never reached. */
export const noLimit: DeadLetterLimit = { check: () => {}, remember: () => {} }

/** A producer that keeps acknowledged records. It fails with the errors in `failures`, in order. */
export class FakeProducer implements RecordProducer {
  readonly records: OutgoingRecord[] = []
  readonly sends: number[] = []
  readonly failures: (Error | null)[] = []
  readonly events: string[]

  constructor(events: string[] = []) {
    this.events = events
  }

  async connect(): Promise<void> {}

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    // Acknowledges after one turn of the event loop, to reveal callers that do not wait.
    await new Promise((resolve) => setImmediate(resolve))
    const failure = this.failures.shift()
    if (failure) throw failure
    this.sends.push(records.length)
    this.records.push(...records)
    this.events.push('acknowledged')
  }

  async close(): Promise<void> {}
}

/** A registry that knows only the schemas in its maps. It fails while `failure` is set. */
export class FakeRegistry implements Registry {
  readonly schemas = new Map<number, AvroSchema>()
  readonly ids = new Map<string, number>()
  readonly asked: (number | string)[] = []
  failure: Error | null = null

  async idOf(subject: string): Promise<number | null> {
    this.asked.push(subject)
    if (this.failure !== null) throw this.failure
    return this.ids.get(subject) ?? null
  }

  async schemaOf(id: number): Promise<AvroSchema | null> {
    this.asked.push(id)
    if (this.failure !== null) throw this.failure
    return this.schemas.get(id) ?? null
  }

  async register(): Promise<number> {
    throw new Error('consumers never register')
  }

  async compatibilityOf(): Promise<string | null> {
    return null
  }

  async setCompatibility(): Promise<void> {}
}
