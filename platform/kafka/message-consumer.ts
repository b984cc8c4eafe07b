/** What a consumer of a topic sees: batches of messages, heartbeats, and one commit at the end. */

export interface Message {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, Buffer | string>>
  /** Milliseconds since 1970, as the producer or broker wrote it. */
  readonly timestamp: number
}

/** Messages of one partition, in order. Nothing is committed unless `commit` is called. */
export interface MessageBatch {
  readonly topic: string
  readonly partition: number
  readonly messages: readonly Message[]
  /** Offset behind the batch, where `commit` moves the group to. */
  readonly nextOffset: bigint
  /**
   * Tells memberships of the group apart: whoever joined later has a greater one. It is that of the
   * membership this batch was delivered to, whatever happened since. It is taken when the group is
   * joined or, if that failed, late: then only a heartbeat after it shows that it counts.
   * @throws while the store that counts them is away; asking again may help.
   */
  epoch(): Promise<number>
  /** Tells the group that this member lives. @throws when the group rebalances: let it pass on. */
  heartbeat(): Promise<void>
  /**
   * True once the partition is another member's, or the consumer stops: do no more, commit nothing.
   */
  isOver(): boolean
  /**
   * Moves the group behind the last message. The broker refuses it from a member that was evicted.
   */
  commit(): Promise<void>
  /** The same batch without the messages from `offset` on. */
  before(offset: bigint): MessageBatch
  /**
   * Fetches no more of the partition for so long, and then again what is not committed. Other
   * partitions go on.
   */
  pauseFor(ms: number): void
}

export interface MessageConsumer {
  /**
   * Joins the group and calls `consume` with one batch after the other of each partition. When it
   * does not commit, or throws, what comes after the batch is not delivered before it.
   */
  run(topics: readonly string[], consume: (batch: MessageBatch) => Promise<void>): Promise<void>
  /** True while this member has an assignment, if only an empty one. */
  isJoined(): boolean
  /** The partitions of the topic that are assigned to this member. */
  assigned(topic: string): readonly number[]
  /** Whether the partition is this member's. */
  isAssigned(topic: string, partition: number): boolean
  /** Finishes the batches that are under way and leaves the group. */
  stop(): Promise<void>
}
