/** Message consumer: delivers batches of messages, with heartbeats and one commit per batch. */

export interface Message {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, Buffer | string>>
  /** Milliseconds since 1970, set by the producer or the broker. */
  readonly timestamp: number
}

/** Messages of one partition, in offset order. Only `commit` commits their offsets. */
export interface MessageBatch {
  readonly topic: string
  readonly partition: number
  readonly messages: readonly Message[]
  /** Offset after the last record of the batch. `commit` commits this offset. */
  readonly nextOffset: bigint
  /**
   * Returns the epoch of the group membership that received this batch. Later memberships have
   * greater epochs. The epoch is usually obtained on joining the group. If it is obtained later, it
   * is valid only if a subsequent heartbeat succeeds.
   * @throws while the database that issues epochs is unavailable; a retry may succeed
   */
  epoch(): Promise<number>
  /**
   * Sends a heartbeat to the group coordinator.
   * @throws while the group rebalances; let the error propagate
   */
  heartbeat(): Promise<void>
  /**
   * Returns true once the consumer stops. The caller must then stop processing and must not commit.
   * Does not detect the loss of the partition in a rebalance; `heartbeat` throws in that case.
   */
  isOver(): boolean
  /** Commits `nextOffset`. The broker rejects commits of evicted members. */
  commit(): Promise<void>
  /** Returns a copy of the batch with only the messages before `offset`. */
  before(offset: bigint): MessageBatch
  /**
   * Pauses the partition for `ms` milliseconds, then resumes at the committed offset. Other
   * partitions continue.
   */
  pauseFor(ms: number): void
}

export interface MessageConsumer {
  /**
   * Joins the group and calls `consume` with batches. The batches of a partition are delivered one
   * after another. If a batch is not committed or `consume` throws, that batch is delivered again
   * before any later message.
   */
  run(topics: readonly string[], consume: (batch: MessageBatch) => Promise<void>): Promise<void>
  /** Returns true while this member has an assignment, even an empty one. */
  isJoined(): boolean
  /** Returns the partitions of the topic that are assigned to this member. */
  assigned(topic: string): readonly number[]
  isAssigned(topic: string, partition: number): boolean
  /** Finishes the batches in progress and leaves the group. */
  stop(): Promise<void>
}
