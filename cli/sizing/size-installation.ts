/** How much hardware an amount of decisions needs, by what one was measured to cost. */
import { coefficients as cost } from './coefficients.ts'

export interface Workload {
  /** Decisions in a second, on average. */
  readonly rate: number
  /** Of the busiest second to the average. */
  readonly peak: number
  /** Bytes of a decision as it is sent. */
  readonly size: number
  /** Decisions in a request. */
  readonly batch: number
  readonly retentionDays: number
  /** Copies of each partition. */
  readonly copies: number
  readonly topicDays: number
  readonly isEvaluated: boolean
}

export interface Need {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** What the figure is made of. */
  readonly because: string
}

/** A core that is busier than that has no room for a retry, a rebalance or a neighbour. */
const busy = 0.6
const daySeconds = 86_400
const giga = 1e9
const mega = 1e6
const batchOfCoefficient = 100
/** Partitions for each member of a group, so that there is room to grow. */
const spread = 2
const partitionsMin = 12
/** At the default of IN_FLIGHT_BYTES_MAX, with the copies that are made of it. */
const inFlightMiB = 128

export function sizeInstallation(workload: Workload): Need[] {
  const { rate, peak, copies, isEvaluated } = workload
  const cores = (microseconds: number): number => (rate * peak * microseconds) / mega / busy
  const evaluation = isEvaluated ? cores(cost.evaluation.value) : 0
  const gateway = cores(gatewayCost(workload))
  const [storage, gateways] = [cores(cost.storage.value), processesOf(gateway, 2)]
  const members = Math.max(processesOf(storage, 1), processesOf(evaluation, 1))
  const partitions = Math.max(partitionsMin, spread * members)
  const at = `at ${rate * peak}/s, each core ${busy * 100} % busy`
  return [
    { what: 'gateway', value: gateway, unit: 'cores', because: at },
    {
      what: 'gateways',
      value: gateways,
      unit: 'processes',
      because: 'one core each; two at least'
    },
    { what: 'storage', value: storage, unit: 'cores', because: at },
    ...(isEvaluated ? [{ what: 'evaluation', value: evaluation, unit: 'cores', because: at }] : []),
    { what: 'members', value: members, unit: 'processes a group', because: 'one core each' },
    { what: 'partitions', value: partitions, unit: 'a topic', because: 'two for each member' },
    { what: 'Postgres', value: cores(cost.postgres.value), unit: 'cores', because: at },
    {
      ...{ what: 'brokers, together', value: copies * cores(cost.kafka.value), unit: 'cores' },
      because: `${copies} copies, ${at}`
    },
    ...bytesOf(workload),
    {
      ...{ what: 'memory of gateways', value: memoryOf(gateways), unit: 'GB' },
      because: 'with IN_FLIGHT_BYTES_MAX of its default'
    }
  ]
}

/** A request costs what it costs alone, and each further decision what it does in a batch. */
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

function bytesOf(workload: Workload): Need[] {
  const { rate, peak, size, copies, topicDays, retentionDays, isEvaluated } = workload
  const evaluated = (bytes: number): number => (isEvaluated ? bytes : 0)
  const record = size + cost.topicExtra.value + evaluated(cost.evaluationRecord.value)
  const row = size + cost.rowExtra.value + evaluated(cost.evaluationRows.value)
  const decisions = rate * daySeconds
  return [
    {
      ...{ what: 'disk of brokers, together', unit: 'GB' },
      value: (decisions * topicDays * copies * record) / giga,
      because: `${topicDays} days, ${copies} copies, ${Math.round(record)} bytes a decision`
    },
    {
      ...{ what: 'network into brokers', unit: 'MB/s' },
      value: (rate * peak * copies * record) / mega,
      because: `${copies} copies at ${rate * peak}/s; readers take as much out`
    },
    {
      ...{ what: 'disk of Postgres', unit: 'GB' },
      value: (decisions * retentionDays * row) / giga,
      because: `${retentionDays} days, ${Math.round(row)} bytes a decision with indexes`
    },
    {
      ...{ what: 'write-ahead log', unit: 'MB/s', value: (rate * peak * cost.wal.value) / mega },
      because: 'and two to three times of it with images of whole pages'
    }
  ]
}
