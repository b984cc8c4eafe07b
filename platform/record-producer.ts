/** What every Kafka producer here promises; two clients keep it and one contract suite checks both.
 */

/** A record on its way to the log. */
export interface OutgoingRecord {
  readonly topic: string
  /** Bytes that choose the partition by murmur2, as Java's client does; null goes anywhere. */
  readonly key: Buffer | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string | Buffer>>
}

export interface RecordProducer {
  /** @throws when no broker answers. */
  connect(): Promise<void>
  /**
   * Resolves when every record is acknowledged by all in-sync replicas.
   * @throws {ProduceError} otherwise. Some records may have been written all the same: a caller
   * must treat each as unknown, and may send it again, since identity is settled by the store.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>
  close(): Promise<void>
}

export class ProduceError extends Error {
  override readonly name = 'ProduceError'
  /** False when the broker will refuse the same records again, such as one larger than it takes. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause: unknown }) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
  }
}
