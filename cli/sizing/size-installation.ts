/** Estimates the hardware for a rate of decisions, from measured costs. */
import { coefficients as cost } from './coefficients.ts'

export interface Workload {
  /** Average decisions per second. */
  readonly rate: number
  /** Ratio of the busiest second to the average. */
  readonly peak: number
  /** Size of a decision as sent, in bytes. */
  readonly size: number
  /** Number of decisions per request. */
  readonly batch: number
  readonly retentionDays: number
  /** Replication factor of the topics. */
  readonly copies: number
  readonly topicDays: number
  readonly isEvaluated: boolean
}

export interface ResourceNeed {
  readonly resource: string
  readonly value: number
  readonly unit: string
  /** How the value was computed, for display. */
  readonly basis: string
}

/**
 * Target utilization of a core. Above it, a core has too little capacity left for a retry, a
 * rebalance or a noisy neighbor.
 */
const busy = 0.6
const daySeconds = 86_400
const giga = 1e9
const mega = 1e6
const batchOfCoefficient = 100
/** Number of partitions per group member, to leave room for growth. */
const spread = 2
const partitionsMin = 12
/** Memory in MiB for bytes in flight, including copies, with the default IN_FLIGHT_BYTES_MAX. */
const inFlightMiB = 128

export function sizeInstallation(workload: Workload): ResourceNeed[] {
  const { rate, peak, copies, isEvaluated } = workload
  const cores = (microseconds: number): number => (rate * peak * microseconds) / mega / busy
  const evaluation = isEvaluated ? cores(cost.evaluation.value) : 0
  const gateway = cores(gatewayCost(workload))
  const [storage, gateways] = [cores(cost.storage.value), processesOf(gateway, 2)]
  const members = Math.max(processesOf(storage, 1), processesOf(evaluation, 1))
  const partitions = Math.max(partitionsMin, spread * members)
  const at = `at ${rate * peak}/s, each core ${busy * 100}% busy`
  return [
    { resource: 'gateway', value: gateway, unit: 'cores', basis: at },
    {
      resource: 'gateways',
      value: gateways,
      unit: 'processes',
      basis: 'one core each, at least two'
    },
    { resource: 'storage', value: storage, unit: 'cores', basis: at },
    ...(isEvaluated
      ? [{ resource: 'evaluation', value: evaluation, unit: 'cores', basis: at }]
      : []),
    { resource: 'members', value: members, unit: 'processes per group', basis: 'one core each' },
    { resource: 'partitions', value: partitions, unit: 'per topic', basis: 'two per member' },
    { resource: 'Postgres', value: cores(cost.postgres.value), unit: 'cores', basis: at },
    {
      resource: 'brokers, in total',
      value: copies * cores(cost.kafka.value),
      unit: 'cores',
      basis: `${copies} replicas, ${at}`
    },
    ...bytesOf(workload),
    {
      resource: 'gateway memory',
      value: memoryOf(gateways),
      unit: 'GB',
      basis: 'with the default IN_FLIGHT_BYTES_MAX'
    }
  ]
}

/**
 * Returns the gateway's cost of a decision in CPU-µs: its share of the fixed cost of a request,
 * plus the marginal cost of the decision.
 */
function gatewayCost({ batch }: Workload): number {
  const [alone, inBatch] = [cost.gatewayAlone.value, cost.gatewayBatch.value]
  const request = ((alone - inBatch) * batchOfCoefficient) / (batchOfCoefficient - 1)
  return alone - request + request / batch
}

function processesOf(cores: number, least: number): number {
  return Math.max(least, Math.ceil(cores))
}

function memoryOf(gateways: number): number {
  return (gateways * (cost.gatewayMemory.value + inFlightMiB) * 1024 * 1024) / giga
}

function bytesOf(workload: Workload): ResourceNeed[] {
  const { rate, peak, size, copies, topicDays, retentionDays, isEvaluated } = workload
  const evaluated = (bytes: number): number => (isEvaluated ? bytes : 0)
  const record = size + cost.topicExtra.value + evaluated(cost.evaluationRecord.value)
  const row = size + cost.rowExtra.value + evaluated(cost.evaluationRows.value)
  const decisions = rate * daySeconds
  return [
    {
      resource: 'broker disks, in total',
      unit: 'GB',
      value: (decisions * topicDays * copies * record) / giga,
      basis: `${topicDays} days, ${copies} replicas, ${Math.round(record)} bytes per decision`
    },
    {
      resource: 'network to brokers',
      unit: 'MB/s',
      value: (rate * peak * copies * record) / mega,
      basis: `${copies} replicas at ${rate * peak}/s; brokers send about as much`
    },
    {
      resource: 'Postgres disk',
      unit: 'GB',
      value: (decisions * retentionDays * row) / giga,
      basis: `${retentionDays} days, ${Math.round(row)} bytes per decision with indexes`
    },
    {
      resource: 'write-ahead log',
      unit: 'MB/s',
      value: (rate * peak * cost.wal.value) / mega,
      basis: 'two to three times as much with full-page images'
    }
  ]
}
