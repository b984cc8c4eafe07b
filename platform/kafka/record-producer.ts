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

/** A record whose partition is chosen. */
export interface RoutedRecord extends OutgoingRecord {
  readonly partition: number
}

export interface Route {
  readonly partition: number
  /** The broker that leads the partition; -1 while that is not known. */
  readonly leader: number
}

/** A producer that says beforehand where a record will go, and afterwards which one failed. */
export interface RoutingProducer extends RecordProducer {
  route(topic: string, key: Buffer | null): Route
  /** As `send`; the error says for each record what became of it. @throws {PartialSendError} */
  sendRouted(records: readonly RoutedRecord[]): Promise<void>
}

export class ProduceError extends Error {
  override readonly name: string = 'ProduceError'
  /** False when the broker will refuse the same records again, such as one larger than it takes. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause: unknown }) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
  }
}

/** Some records of a send failed. Those that `failures` does not name are acknowledged. */
export class PartialSendError extends ProduceError {
  override readonly name = 'PartialSendError'
  /** By the index of the record: whether sending it again may help. */
  readonly failures: ReadonlyMap<number, boolean>

  constructor(failures: ReadonlyMap<number, boolean>, cause: unknown) {
    const retryable = [...failures.values()].some(Boolean)
    super('the broker did not acknowledge every record', { retryable, cause })
    this.failures = failures
  }
}
