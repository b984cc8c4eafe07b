/** Makes one attempt to send records: one request per broker, with one record batch per partition.
 */
import type { Clock } from '../../../core/clock.ts'
import type { BufferPool } from '../../process/buffer-pool.ts'
import { partitionAt } from './encoded-records.ts'
import type { EncodedRecords, Partitions } from './encoded-records.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import type { Cluster } from './kafka-metadata.ts'
import { writeProduceRequest } from './kafka-produce-request.ts'
import type { PartitionResult, PartitionRecords } from './kafka-produce-request.ts'
import { nameOfCode, resultOfCode, resultOfError } from './kafka-produce-results.ts'
import type { SendAttempt, TrySend, ProduceResult } from './send-with-retries.ts'

/** Records of one partition, with their indexes in the list of records. */
interface PartitionGroup extends PartitionRecords {
  readonly indexes: number[]
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
  readonly topic: string
  /** Maximum time a broker waits for its replicas before it responds. */
  readonly timeoutMs: number
  /** Provides the timestamp of the records. */
  readonly clock: Clock
  /** Provides the buffers of requests. */
  readonly pool: BufferPool
}

export function createTrySend(cluster: KafkaCluster, options: TrySendOptions): TrySend {
  const { topic, timeoutMs, clock, pool } = options

  async function produce(
    leader: number,
    records: EncodedRecords,
    partitions: readonly PartitionGroup[]
  ): Promise<GroupResult[]> {
    let buffer: Buffer | undefined
    try {
      const responses = await cluster.produce(leader, () => {
        const request = { topic, records, partitions, timeoutMs, timestamp: clock.now() }
        const { bytes, at } = writeProduceRequest(request, pool)
        buffer = bytes
        return bytes.subarray(0, at)
      })
      // The broker has read the request. After an error, the socket may still hold the buffer.
      if (buffer !== undefined) pool.give(buffer)
      return partitions.map((of) => groupResultOf(of, responses))
    } catch (cause) {
      const result = resultOfError(cause)
      return partitions.map(({ indexes }) => ({ indexes, result, cause }))
    }
  }

  return async function trySend(records, indexes) {
    try {
      const partitions = partitionsOf(await cluster.load(), topic)
      const groups = groupByPartition(records, indexes, partitions)
      const byLeader = Map.groupBy(groups, ({ leader }) => leader)
      const sent = [...byLeader].map(([leader, of]) => produce(leader, records, of))
      const attempt = attemptOf((await Promise.all(sent)).flat())
      // An unknown result can mean that a partition has moved to another broker.
      if (attempt !== null && [...attempt.results.values()].includes('unknown')) cluster.refresh()
      return attempt
    } catch (cause) {
      cluster.refresh()
      const result = resultOfError(cause)
      return { results: new Map(indexes.map((index) => [index, result])), cause }
    }
  }
}

function partitionsOf({ topics }: Cluster, topic: string): Partitions {
  const known = topics.get(topic)
  if (known === undefined) throw new TypeError(`topic "${topic}" is not configured`)
  return known.partitions
}

/**
 * Groups the records by partition and looks up the current leaders, because leaders can change
 * after the records are routed.
 */
function groupByPartition(
  records: EncodedRecords,
  indexes: readonly number[],
  partitions: Partitions
): Iterable<PartitionGroup> {
  const groups = new Map<number, PartitionGroup>()
  for (const index of indexes) {
    const partition = partitionFor(records, index, partitions.length)
    const group = groups.get(partition)
    if (group !== undefined) group.indexes.push(index)
    else {
      const leader = partitions[partition]?.leader ?? -1
      groups.set(partition, { partition, leader, indexes: [index] })
    }
  }
  return groups.values()
}

/**
 * Returns the partition of a record. Chooses one if the record was routed before the metadata was
 * known.
 */
function partitionFor(records: EncodedRecords, index: number, partitions: number): number {
  const { buffers, starts, partitions: known } = records
  const partition = known[index] as number
  if (partition >= 0) return partition
  return Math.max(0, partitionAt(buffers[index] as Buffer, starts[index] as number, partitions))
}

function groupResultOf(
  { partition, indexes }: PartitionGroup,
  responses: readonly PartitionResult[]
): GroupResult {
  const response = responses.find((one) => one.partition === partition)
  const result = resultOfCode(response?.errorCode)
  const cause =
    result === 'acknowledged' ? null : new PartitionError(partition, response?.errorCode)
  return { indexes, result, cause }
}

/** Merges the results. Returns null if all records are acknowledged, which is the usual case. */
function attemptOf(groupResults: readonly GroupResult[]): SendAttempt | null {
  const failed = groupResults.find(({ result }) => result !== 'acknowledged')
  if (failed === undefined) return null
  const results = new Map<number, ProduceResult>()
  for (const { indexes, result } of groupResults) {
    for (const index of indexes) results.set(index, result)
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
