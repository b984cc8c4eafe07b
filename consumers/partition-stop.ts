/** Thrown to stop a partition: from this offset on nothing is condemned and nothing committed. */

export interface PartitionStopOptions {
  /** Of the first message that is not to be settled. */
  readonly offset: bigint
  /** For the log, beside the place: never a payload. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

export class PartitionStop extends Error {
  override readonly name = 'PartitionStop'
  readonly offset: bigint
  readonly fields: Readonly<Record<string, unknown>>

  /** `message` says what is wrong and what to do about it. */
  constructor(message: string, { offset, fields, cause }: PartitionStopOptions) {
    super(message, { cause })
    this.offset = offset
    this.fields = fields
  }
}
