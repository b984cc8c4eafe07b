/** Record producer: defines the interface of both Kafka producers. One contract suite tests both of
 * them.
 */
export interface OutgoingRecord {
  readonly topic: string
  /** Determines the partition (murmur2, as in the Java client). Null allows any partition. */
  readonly key: Buffer | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string | Buffer>>
}

export interface RecordProducer {
  /** @throws if no broker responds */
  connect(): Promise<void>
  /**
   * Resolves when all in-sync replicas have acknowledged every record.
   * @throws {ProduceError} otherwise. Any of the records may still have been written. It is safe to
   * send them again, because Postgres removes duplicates by identity.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>
  close(): Promise<void>
}

export class ProduceError extends Error {
  override readonly name: string = 'ProduceError'
  /**
   * False if the broker would reject the same records again, for example because one is too large.
   */
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause: unknown }) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
  }
}

/**
 * Thrown if a send failed for some of its records. Records that are not in `failures` were
 * acknowledged.
 */
export class PartialSendError extends ProduceError {
  override readonly name = 'PartialSendError'
  /** Whether a retry can succeed, by the index of the failed record. */
  readonly failures: ReadonlyMap<number, boolean>

  constructor(failures: ReadonlyMap<number, boolean>, cause: unknown) {
    const retryable = [...failures.values()].some(Boolean)
    super('Kafka did not acknowledge every record', { retryable, cause })
    this.failures = failures
  }
}
