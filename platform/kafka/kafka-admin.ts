/** Kafka's administration: topics as defined, and how far a group has come. */
import kafkajs from 'kafkajs'
import type { Admin } from 'kafkajs'

export interface TopicSettings {
  readonly name: string
  readonly partitions: number
  readonly replicationFactor: number
  readonly config: Readonly<Record<string, string>>
}

/** What applying a definition found or did. */
export interface TopicChange {
  readonly topic: string
  readonly action: 'created' | 'grown' | 'configured' | 'unchanged'
  /** `name: old → new`, or a sentence. */
  readonly details: readonly string[]
}

export interface KafkaAdmin {
  connect(): Promise<void>
  /** Creates the topic, or brings its partitions and configuration up to the definition. */
  applyTopic(settings: TopicSettings): Promise<TopicChange>
  /** For each partition: what the group committed, and where the partition ends. */
  readGroupProgress(
    groupId: string,
    topic: string
  ): Promise<{ partition: number; committed: bigint; end: bigint }[]>
  /** By partition, the next offset that the group will read; -1 where it never committed one. */
  readCommitted(groupId: string, topic: string): Promise<bigint[]>
  /** Of each partition the first offset that it still holds, and that of its next message. */
  readBounds(topic: string): Promise<{ partition: number; begin: bigint; end: bigint }[]>
  /**
   * Moves a group to these offsets, by partition; the others stay where they are.
   * @throws while somebody is in the group.
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
    // The client's own wait gives up when a broker has not heard of the new topic yet.
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

/** Until every partition has a leader, so that whoever comes next can write at once. */
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

/** More partitions move keys to other partitions, so it is said; fewer are impossible. */
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
  // This request replaces the whole configuration, so what an operator set beside ours goes along.
  const own = entries.filter(({ isDefault }) => !isDefault)
  const merged = new Map(own.map(({ configName, configValue }) => [configName, configValue]))
  for (const [name, value] of Object.entries(wanted)) merged.set(name, value)
  const configEntries = [...merged].map(([name, value]) => ({ name, value }))
  await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] })
  return changes.map(([name, value]) => `${name}: ${present.get(name) ?? 'unset'} → ${value}`)
}

/** The end is read first: what is committed behind it covers all that was there by then. */
async function readGroupProgress(admin: Admin, groupId: string, topic: string) {
  const ends = await admin.fetchTopicOffsets(topic)
  const offsets = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed = new Map(
    offsets[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)])
  )
  return ends.map(({ partition, high, low }) => {
    const own = committed.get(partition) ?? -1n
    // A group that never committed has settled everything only where there is nothing.
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

/** The client goes through the group itself, so one that somebody is in would divide anew. */
async function setCommitted(
  admin: Admin,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
  offsets: ReadonlyMap<number, bigint>
): Promise<void> {
  const { groups } = await admin.describeGroups([groupId])
  const members = groups[0]?.members.length ?? 0
  if (members > 0) {
    throw new Error(`${members} processes are in the group ${groupId}: stop them first`)
  }
  const partitions = [...offsets].map(([partition, offset]) => ({
    partition,
    offset: String(offset)
  }))
  await admin.setOffsets({ groupId, topic, partitions })
}
