/** Makes one attempt to send records: one request per broker, with one record batch per partition.
 */
import type { Clock } from '../../../core/clock.ts'
import { partitionOf } from '../../../core/decision/partition.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import type { Cluster } from './kafka-metadata.ts'
import { produceRequestOf } from './kafka-produce-request.ts'
import type { PartitionResult, PartitionRecords } from './kafka-produce-request.ts'
import { nameOfCode, resultOfCode, resultOfError } from './kafka-produce-results.ts'
import type { RoutedRecord } from '../record-producer.ts'
import type { SendAttempt, TrySend, ProduceResult } from './send-with-retries.ts'

/** Records of one partition, with their indexes in the input. */
interface PartitionGroup extends PartitionRecords {
  readonly indexes: readonly number[]
  /** Broker id of the partition leader; -1 if unknown. */
  readonly leader: number
}

/** Result for the records of one partition. */
interface GroupResult {
  readonly indexes: readonly number[]
  readonly result: ProduceResult
  /** Reason why the records were not acknowledged; null if they were. */
  readonly cause: unknown
}

interface TrySendOptions {
  /** Maximum time a broker waits for its replicas before it responds. */
  readonly timeoutMs: number
  /** Provides the timestamp of the records. */
  readonly clock: Clock
}

export function createTrySend(cluster: KafkaCluster, options: TrySendOptions): TrySend {
  const { timeoutMs, clock } = options

  async function produce(
    leader: number,
    groups: readonly PartitionGroup[]
  ): Promise<GroupResult[]> {
    try {
      const responses = await cluster.produce(leader, () =>
        produceRequestOf(groups, { timeoutMs, timestamp: clock.now() })
      )
      return groups.map((of) => groupResultOf(of, responses))
    } catch (cause) {
      const result = resultOfError(cause)
      return groups.map(({ indexes }) => ({ indexes, result, cause }))
    }
  }

  return async function trySend(records) {
    try {
      const groups = groupByPartition(records, await cluster.load())
      const byLeader = Map.groupBy(groups, ({ leader }) => leader)
      const sent = [...byLeader].map(([leader, of]) => produce(leader, of))
      const attempt = attemptOf((await Promise.all(sent)).flat(), records.length)
      // An unknown result can mean that a partition has moved to another broker.
      if (attempt?.results.includes('unknown') === true) cluster.refresh()
      return attempt
    } catch (cause) {
      cluster.refresh()
      const result = resultOfError(cause)
      return { results: records.map(() => result), cause }
    }
  }
}

/**
 * Groups the records by partition and looks up the current leaders, because leaders can change
 * after the records are routed.
 */
function groupByPartition(records: readonly RoutedRecord[], { topics }: Cluster): PartitionGroup[] {
  const at = (index: number): RoutedRecord => records[index] as RoutedRecord
  return [...Map.groupBy(records.keys(), (index) => at(index).topic)].flatMap(([topic, all]) => {
    const known = topics.get(topic)
    if (known === undefined) throw new TypeError(`topic "${topic}" is not configured`)
    const { partitions, partitionsCount } = known
    const byPartition = Map.groupBy(all, (index) => partitionFor(at(index), partitionsCount))
    return [...byPartition].map(([partition, indexes]) => {
      const leader = partitions[partition]?.leader ?? -1
      return { topic, partition, leader, indexes, records: indexes.map(at) }
    })
  })
}

/**
 * Returns the partition of a record. Chooses one if the record was routed before the metadata was
 * known.
 */
function partitionFor({ partition, key }: RoutedRecord, partitionsCount: number): number {
  if (partition >= 0) return partition
  return key === null ? 0 : partitionOf(key, partitionsCount)
}

function groupResultOf(
  { topic, partition, indexes }: PartitionGroup,
  responses: readonly PartitionResult[]
) {
  const response = responses.find((one) => one.partition === partition && one.topic === topic)
  const result = resultOfCode(response?.errorCode)
  const cause =
    result === 'acknowledged' ? null : new PartitionError(partition, response?.errorCode)
  return { indexes, result, cause }
}

/** Merges the results. Returns null if all records are acknowledged, which is the usual case. */
function attemptOf(groupResults: readonly GroupResult[], count: number): SendAttempt | null {
  const failed = groupResults.find(({ result }) => result !== 'acknowledged')
  if (failed === undefined) return null
  const results = Array<ProduceResult>(count).fill('unknown')
  for (const { indexes, result } of groupResults) {
    for (const index of indexes) results[index] = result
  }
  return { results, cause: failed.cause }
}

/**
 * Reports that a broker rejected the records of a partition or omitted the partition from its
 * response.
 */
class PartitionError extends Error {
  override readonly name = 'PartitionError'

  constructor(partition: number, code: number | undefined) {
    const response = code === undefined ? 'nothing' : nameOfCode(code)
    super(`the broker responded with ${response} for partition ${partition}`)
  }
}
