/** Every metric there is, as one table; docs/metrics.md and /metrics are held against it by a test.
 */
import { auditMetricRows } from './audit-metric-rows.ts'
import { factMetricRows } from './fact-metric-rows.ts'
import { evaluationMetricRows } from './evaluation-metric-rows.ts'
import { processMetricRows } from './process-metric-rows.ts'

interface Row {
  /** What one is one of. */
  readonly unit: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Counters and histograms of several workers are added up. */
export interface CounterRow extends Row {
  readonly type: 'counter'
}

export interface GaugeRow extends Row {
  readonly type: 'gauge'
  /** What the values of several workers are together. */
  readonly across: 'sum' | 'max' | 'min'
}

export interface HistogramRow extends Row {
  readonly type: 'histogram'
  /** Upper bounds, in the unit. */
  readonly buckets: readonly number[]
}

export type MetricRow = CounterRow | GaugeRow | HistogramRow

const latencySeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** From at once to a day behind. */
const delaySeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86_400]

export const metricTable = {
  sluice_ingest_outcomes_total: {
    type: 'counter',
    unit: 'decisions',
    help: 'Decisions received, by what became of them; the sum over outcomes is all that came in.',
    labels: ['outcome', 'reason']
  },
  sluice_http_requests_total: {
    type: 'counter',
    unit: 'requests',
    help: 'Requests answered, by operation and status.',
    labels: ['operation', 'status']
  },
  sluice_ingest_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the arrival of a request with decisions to its answer, if that is 202 or 207.',
    labels: [],
    buckets: latencySeconds
  },
  sluice_ingest_unknown_members_total: {
    type: 'counter',
    unit: 'members',
    help: 'Members of decisions that are not part of the contract and were ignored.',
    labels: []
  },
  ...factMetricRows,
  sluice_ingest_body_bytes_total: {
    type: 'counter',
    unit: 'bytes',
    help: 'Bytes of decisions: raw as they came, inflated as they were meant, encoded as they go.',
    labels: ['stage']
  },
  sluice_requests_in_progress: {
    type: 'gauge',
    unit: 'requests',
    across: 'sum',
    help: 'Requests taken and not answered yet; above REQUESTS_MAX the answer is 503.',
    labels: []
  },
  sluice_held_body_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Bytes of request bodies in memory; above BODY_BYTES_MAX the answer is 503.',
    labels: []
  },
  sluice_shed_total: {
    type: 'counter',
    unit: 'requests',
    help: 'Turned away: connections, requests, wait, pipeline, body_bytes, share, streams, unread.',
    labels: ['reason']
  },
  sluice_streams_open: {
    type: 'gauge',
    unit: 'streams',
    across: 'sum',
    help: 'Live tails and exports that are being written; above STREAMS_MAX the answer is 503.',
    labels: ['kind']
  },
  sluice_ingest_batch_decisions: {
    type: 'histogram',
    unit: 'decisions',
    help: 'Decisions in a batch.',
    labels: [],
    buckets: [1, 5, 10, 25, 50, 100, 250, 500, 1000]
  },
  sluice_client_dropped_total: {
    type: 'counter',
    unit: 'decisions',
    help: 'Decisions that SDKs say they dropped before they could send them, by reason.',
    labels: ['reason']
  },
  sluice_produce_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the flush of a batch to the acknowledgement of the broker.',
    labels: [],
    buckets: latencySeconds
  },
  sluice_produce_in_flight_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Encoded bytes waiting for the broker; above IN_FLIGHT_BYTES_MAX the answer is 503.',
    labels: []
  },
  sluice_produce_in_flight_records: {
    type: 'gauge',
    unit: 'records',
    across: 'sum',
    help: 'Records waiting for the broker.',
    labels: []
  },
  sluice_rate_limit_local: {
    type: 'gauge',
    unit: '0 or 1',
    across: 'max',
    help: '1 while Redis does not answer and this instance applies the whole limit alone.',
    labels: []
  },
  sluice_rate_limit_requests_total: {
    type: 'counter',
    unit: 'requests',
    help: 'Requests to Redis for points of a window: granted, cut (fewer), refused, failed.',
    labels: ['result']
  },
  sluice_rate_limit_leased_points_total: {
    type: 'counter',
    unit: 'points',
    help: 'Points taken from windows in Redis; what is not used of them dies with the window.',
    labels: []
  },
  sluice_api_key_lookups_total: {
    type: 'counter',
    unit: 'look-ups',
    help: 'Look-ups of API keys: hit, unknown, miss, refreshed, stale, failed, refused.',
    labels: ['result']
  },
  sluice_mails_total: {
    type: 'counter',
    unit: 'mails',
    help: 'Letters to people: sent, failed, dropped (too many wait), nowhere (no MAIL_URL).',
    labels: ['outcome']
  },
  sluice_consumed_total: {
    type: 'counter',
    unit: 'messages',
    help: 'Messages settled, by outcome: done, duplicate, erased, deferred, dead_letter.',
    labels: ['topic', 'outcome', 'reason']
  },
  sluice_consumer_batch_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the delivery of a batch to the commit of its offsets.',
    labels: ['topic'],
    buckets: latencySeconds
  },
  sluice_consumer_lag_messages: {
    type: 'gauge',
    unit: 'messages',
    across: 'max',
    help: 'Messages of the partition that the group has not settled, asked for every 5 seconds.',
    labels: ['topic', 'partition']
  },
  sluice_consumer_stopped_partitions: {
    type: 'gauge',
    unit: '0 or 1',
    across: 'max',
    help: '1 while the partition stands still, for a flood of dead letters or as none is taken.',
    labels: ['topic', 'partition']
  },
  sluice_consumer_retries_total: {
    type: 'counter',
    unit: 'batches',
    help: 'Batches tried again because something a consumer needs was away.',
    labels: ['topic']
  },
  ...evaluationMetricRows,
  sluice_storage_delay_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the receipt of a decision to the commit of its row; duplicates and erased as well.',
    labels: [],
    buckets: delaySeconds
  },
  sluice_storage_default_partition_rows: {
    type: 'gauge',
    unit: 'rows',
    across: 'max',
    help: 'Rows in default partitions, up to 10000 of each table; there should be none.',
    labels: []
  },
  sluice_storage_missing_partitions: {
    type: 'gauge',
    unit: 'days',
    across: 'max',
    help: 'Missing partitions of today and the seven days after it; there should be none.',
    labels: []
  },
  ...auditMetricRows,
  ...processMetricRows
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metricTable
export type LabelOf<Name extends MetricName> = (typeof metricTable)[Name]['labels'][number]
