/** Kafka administration: applies topic definitions, and reads and sets consumer-group offsets. */
import kafkajs from 'kafkajs'
import type { Admin } from 'kafkajs'

interface TopicSettings {
  readonly name: string
  readonly partitions: number
  readonly replicationFactor: number
  readonly config: Readonly<Record<string, string>>
}

/** Result of applying a topic definition. */
interface TopicChange {
  readonly topic: string
  readonly action: 'created' | 'grown' | 'configured' | 'unchanged'
  /** One line per change, for example `retention.ms: 1000 → 2000`. */
  readonly details: readonly string[]
}

export interface KafkaAdmin {
  connect(): Promise<void>
  /** Creates the topic, or updates its partitions and configuration to match `settings`. */
  applyTopic(settings: TopicSettings): Promise<TopicChange>
  /**
   * Returns the group's committed offset and the end offset of each partition. Without a committed
   * offset, `committed` is the first available offset.
   */
  readGroupProgress(
    groupId: string,
    topic: string
  ): Promise<{ partition: number; committed: bigint; end: bigint }[]>
  /** Returns the group's committed offset for each partition; -1 if there is none. */
  readCommitted(groupId: string, topic: string): Promise<bigint[]>
  /** Returns the first available offset and the end offset of each partition. */
  readBounds(topic: string): Promise<{ partition: number; begin: bigint; end: bigint }[]>
  /**
   * Sets the committed offsets of a group, by partition. Other partitions keep their offsets.
   * @throws if the group has members
   */
  setCommitted(groupId: string, topic: string, offsets: ReadonlyMap<number, bigint>): Promise<void>
  close(): Promise<void>
}

const leaderAttemptsMax = 100
const leaderPauseMs = 100

export function createKafkaAdmin(admin: Admin): KafkaAdmin {
  return {
    connect: () => admin.connect(),
    applyTopic: (settings) => applyTopic(admin, settings),
    readGroupProgress: (groupId, topic) => readGroupProgress(admin, groupId, topic),
    readCommitted: (groupId, topic) => readCommitted(admin, groupId, topic),
    readBounds: (topic) => readBounds(admin, topic),
    setCommitted: (groupId, topic, offsets) => setCommitted(admin, { groupId, topic }, offsets),
    close: () => admin.disconnect()
  }
}

async function applyTopic(admin: Admin, settings: TopicSettings): Promise<TopicChange> {
  const { name: topic, partitions, replicationFactor, config } = settings
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
  const isCreated = await admin.createTopics({
    topics: [{ topic, numPartitions: partitions, replicationFactor, configEntries }],
    // kafkajs's own wait fails if a broker does not know the new topic yet.
    waitForLeaders: false
  })
  if (isCreated) {
    await waitForLeaders(admin, topic)
    return { topic, action: 'created', details: [`${partitions} partitions`] }
  }
  const grown = await growTopic(admin, topic, partitions)
  const configured = await configureTopic(admin, topic, config)
  const action = grown.length > 0 ? 'grown' : configured.length > 0 ? 'configured' : 'unchanged'
  return { topic, action, details: [...grown, ...configured] }
}

/** Waits until every partition has a leader, so that the topic can be written immediately. */
async function waitForLeaders(admin: Admin, topic: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      if (topics[0]?.partitions.every(({ leader }) => leader >= 0) === true) return
    } catch (error) {
      if (attempt >= leaderAttemptsMax) throw error
    }
    if (attempt >= leaderAttemptsMax) throw new Error(`${topic} has partitions without a leader`)
    await new Promise((resolve) => setTimeout(resolve, leaderPauseMs))
  }
}

/**
 * Adds missing partitions; Kafka cannot remove any. The result warns that keys may move to other
 * partitions.
 */
async function growTopic(admin: Admin, topic: string, wanted: number): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const present = topics[0]?.partitions.length ?? 0
  if (present >= wanted) return []
  await admin.createPartitions({ topicPartitions: [{ topic, count: wanted }] })
  return [`partitions: ${present} → ${wanted} (new records of a key may change partition)`]
}

async function configureTopic(
  admin: Admin,
  topic: string,
  wanted: Readonly<Record<string, string>>
): Promise<string[]> {
  const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [resource]
  })
  const entries = resources[0]?.configEntries ?? []
  const present = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
  const changes = Object.entries(wanted).filter(([name, value]) => present.get(name) !== value)
  if (changes.length === 0) return []
  // AlterConfigs replaces the whole configuration, so the request must include the values that an
  // operator has set.
  const own = entries.filter(({ isDefault }) => !isDefault)
  const merged = new Map(own.map(({ configName, configValue }) => [configName, configValue]))
  for (const [name, value] of Object.entries(wanted)) merged.set(name, value)
  const configEntries = [...merged].map(([name, value]) => ({ name, value }))
  await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] })
  return changes.map(([name, value]) => `${name}: ${present.get(name) ?? 'unset'} → ${value}`)
}

/**
 * Reads the end offsets first, so that messages that arrive in the meantime do not count as lag.
 */
async function readGroupProgress(admin: Admin, groupId: string, topic: string) {
  const ends = await admin.fetchTopicOffsets(topic)
  const offsets = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed = new Map(
    offsets[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)])
  )
  return ends.map(({ partition, high, low }) => {
    const own = committed.get(partition) ?? -1n
    // A group without a committed offset is treated as positioned at the start of the partition.
    return { partition, committed: own < 0n ? BigInt(low) : own, end: BigInt(high) }
  })
}

async function readCommitted(admin: Admin, groupId: string, topic: string): Promise<bigint[]> {
  const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed: bigint[] = []
  for (const { partition, offset } of answer?.partitions ?? []) {
    committed[partition] = BigInt(offset)
  }
  return committed
}

async function readBounds(admin: Admin, topic: string) {
  const offsets = await admin.fetchTopicOffsets(topic)
  return offsets.map(({ partition, low, high }) => {
    return { partition, begin: BigInt(low), end: BigInt(high) }
  })
}

/**
 * Sets the offsets. Rejects a group with members, because kafkajs joins the group to commit the
 * offsets, and the members would rebalance.
 */
async function setCommitted(
  admin: Admin,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
  offsets: ReadonlyMap<number, bigint>
): Promise<void> {
  const { groups } = await admin.describeGroups([groupId])
  const members = groups[0]?.members.length ?? 0
  if (members > 0) {
    throw new Error(`the group ${groupId} has ${members} members; stop them first`)
  }
  const partitions = [...offsets].map(([partition, offset]) => ({
    partition,
    offset: String(offset)
  }))
  await admin.setOffsets({ groupId, topic, partitions })
}
