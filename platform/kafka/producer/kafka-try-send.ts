/** One try to send: a request for each broker, in it a record batch for each partition. */
import type { Clock } from '../../../core/clock.ts'
import { partitionOf } from '../../../core/decision/partition.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import type { Cluster } from './kafka-metadata.ts'
import { produceRequestOf } from './kafka-produce-request.ts'
import type { PartitionAnswer, PartitionRecords } from './kafka-produce-request.ts'
import { nameOfCode, verdictOfCode, verdictOfError } from './kafka-verdicts.ts'
import type { RoutedRecord } from '../record-producer.ts'
import type { Tried, TrySend, Verdict } from './send-persistently.ts'

/** Records of one partition, and which of all that are sent they are. */
interface Destined extends PartitionRecords {
  readonly indexes: readonly number[]
  /** The broker that leads the partition; -1 while none is known. */
  readonly leader: number
}

/** What became of the records of one partition. */
interface Outcome {
  readonly indexes: readonly number[]
  readonly verdict: Verdict
  /** Why they are not written, if so. */
  readonly cause: unknown
}

export interface TrySendOptions {
  /** How long a broker may take. */
  readonly timeoutMs: number
  /** Stamps the records. */
  readonly clock: Clock
}

export function createTrySend(cluster: KafkaCluster, options: TrySendOptions): TrySend {
  const { timeoutMs, clock } = options

  async function produce(leader: number, destined: readonly Destined[]): Promise<Outcome[]> {
    try {
      const answers = await cluster.produce(leader, () =>
        produceRequestOf(destined, { timeoutMs, timestamp: clock.now() })
      )
      return destined.map((of) => outcomeOf(of, answers))
    } catch (cause) {
      const verdict = verdictOfError(cause)
      return destined.map(({ indexes }) => ({ indexes, verdict, cause }))
    }
  }

  return async function trySend(records) {
    try {
      const destined = destinedOf(records, await cluster.look())
      const byLeader = Map.groupBy(destined, ({ leader }) => leader)
      const sent = [...byLeader].map(([leader, of]) => produce(leader, of))
      const tried = triedOf((await Promise.all(sent)).flat(), records.length)
      // A partition may have moved, which only those who lead it know.
      if (tried?.verdicts.includes('unknown') === true) cluster.doubt()
      return tried
    } catch (cause) {
      cluster.doubt()
      const verdict = verdictOfError(cause)
      return { verdicts: records.map(() => verdict), cause }
    }
  }
}

/** Leaders are those of now: they may have changed since the records were routed. */
function destinedOf(records: readonly RoutedRecord[], { topics }: Cluster): Destined[] {
  const at = (index: number): RoutedRecord => records[index] as RoutedRecord
  return [...Map.groupBy(records.keys(), (index) => at(index).topic)].flatMap(([topic, all]) => {
    const known = topics.get(topic)
    if (known === undefined) throw new TypeError(`no topic "${topic}" was named beforehand`)
    const { partitions, partitionsCount } = known
    const byPartition = Map.groupBy(all, (index) => placeOf(at(index), partitionsCount))
    return [...byPartition].map(([partition, indexes]) => {
      const leader = partitions[partition]?.leader ?? -1
      return { topic, partition, leader, indexes, records: indexes.map(at) }
    })
  })
}

/** What came before anything was known of the topic is routed only now. */
function placeOf({ partition, key }: RoutedRecord, partitionsCount: number): number {
  if (partition >= 0) return partition
  return key === null ? 0 : partitionOf(key, partitionsCount)
}

function outcomeOf({ topic, partition, indexes }: Destined, answers: readonly PartitionAnswer[]) {
  const answer = answers.find((one) => one.partition === partition && one.topic === topic)
  const verdict = verdictOfCode(answer?.errorCode)
  const cause = verdict === 'acknowledged' ? null : new PartitionError(partition, answer?.errorCode)
  return { indexes, verdict, cause }
}

/** Null when all are acknowledged, as nearly always. */
function triedOf(outcomes: readonly Outcome[], count: number): Tried | null {
  const failed = outcomes.find(({ verdict }) => verdict !== 'acknowledged')
  if (failed === undefined) return null
  const verdicts = Array<Verdict>(count).fill('unknown')
  for (const { indexes, verdict } of outcomes) {
    for (const index of indexes) verdicts[index] = verdict
  }
  return { verdicts, cause: failed.cause }
}

/** The broker refused what was meant for a partition, or left it out of its answer. */
class PartitionError extends Error {
  override readonly name = 'PartitionError'

  constructor(partition: number, code: number | undefined) {
    const said = code === undefined ? 'nothing' : nameOfCode(code)
    super(`of partition ${partition} the broker said ${said}`)
  }
}
