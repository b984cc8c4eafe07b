/** Defines the error that pauses a partition. Messages from the error's offset onwards are
 * neither dead-lettered nor committed.
 */

interface PartitionPauseOptions {
  /** Offset of the first message that must not be settled. */
  readonly offset: bigint
  /** Fields to log in addition to topic, partition and offset. They must not contain a payload. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

export class PartitionPause extends Error {
  override readonly name = 'PartitionPause'
  readonly offset: bigint
  readonly fields: Readonly<Record<string, unknown>>

  /** @param message a description of the problem and what to do; used as the log message */
  constructor(message: string, { offset, fields, cause }: PartitionPauseOptions) {
    super(message, { cause })
    this.offset = offset
    this.fields = fields
  }
}
