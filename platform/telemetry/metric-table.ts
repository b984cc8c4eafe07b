/** Metric table: defines all metrics. Tests compare docs/reference/metrics.md and /metrics with it.
 */
import { auditMetricRows } from './audit-metric-rows.ts'
import { usageMetricRows } from './usage-metric-rows.ts'
import { evaluationMetricRows } from './evaluation-metric-rows.ts'
import { processMetricRows } from './process-metric-rows.ts'

interface Row {
  readonly unit: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Counter. The values of several workers are summed. */
interface CounterRow extends Row {
  readonly type: 'counter'
}

interface GaugeRow extends Row {
  readonly type: 'gauge'
  /** How to combine the values of several workers. */
  readonly across: 'sum' | 'max' | 'min'
}

interface HistogramRow extends Row {
  readonly type: 'histogram'
  /** Upper bounds of the buckets, in the unit of the metric. */
  readonly buckets: readonly number[]
}

export type MetricRow = CounterRow | GaugeRow | HistogramRow

const latencySeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Buckets from 50 ms to a day. */
const delaySeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86_400]

export const metricTable = {
  sluice_ingest_outcomes_total: {
    type: 'counter',
    unit: 'decisions',
    help: 'Decisions received, by outcome and reason; the sum over outcomes is the total received.',
    labels: ['outcome', 'reason']
  },
  sluice_http_requests_total: {
    type: 'counter',
    unit: 'requests',
    help: 'HTTP requests answered, by operation and status.',
    labels: ['operation', 'status']
  },
  sluice_ingest_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from the arrival of a request with decisions to its response, for 202 and 207.',
    labels: [],
    buckets: latencySeconds
  },
  sluice_ingest_unknown_members_total: {
    type: 'counter',
    unit: 'properties',
    help: 'Properties of decisions that are not part of the contract and were ignored.',
    labels: []
  },
  ...usageMetricRows,
  sluice_ingest_body_bytes_total: {
    type: 'counter',
    unit: 'bytes',
    help: 'Bytes of decisions, by stage: received, decompressed, encoded.',
    labels: ['stage']
  },
  sluice_requests_in_progress: {
    type: 'gauge',
    unit: 'requests',
    across: 'sum',
    help: 'Requests in progress; above REQUESTS_MAX further requests get 503.',
    labels: []
  },
  sluice_held_body_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Bytes of request bodies in memory; above BODY_BYTES_MAX further requests get 503.',
    labels: []
  },
  sluice_shed_total: {
    type: 'counter',
    unit: 'requests',
    help:
      'Requests shed, by reason: connections, requests, wait, pipeline, body_bytes, share, ' +
      'streams, unread.',
    labels: ['reason']
  },
  sluice_streams_open: {
    type: 'gauge',
    unit: 'streams',
    across: 'sum',
    help: 'Live tails and exports in progress, by kind; above STREAMS_MAX new ones get 503.',
    labels: ['kind']
  },
  sluice_ingest_batch_decisions: {
    type: 'histogram',
    unit: 'decisions',
    help: 'Decisions per batch request.',
    labels: [],
    buckets: [1, 5, 10, 25, 50, 100, 250, 500, 1000]
  },
  sluice_otlp_spans_total: {
    type: 'counter',
    unit: 'spans',
    help: 'Spans of answered requests to /v1/traces, by outcome: queued, rejected, ignored.',
    labels: ['outcome']
  },
  sluice_otlp_log_records_total: {
    type: 'counter',
    unit: 'log records',
    help:
      'Log records of answered requests to /v1/logs, by outcome: queued, scored, rejected, ' +
      'ignored.',
    labels: ['outcome']
  },
  sluice_otlp_rejected_total: {
    type: 'counter',
    unit: 'spans',
    help: 'Rejected spans and log records, by reason.',
    labels: ['reason']
  },
  sluice_client_dropped_total: {
    type: 'counter',
    unit: 'decisions',
    help: 'Decisions that SDKs reported as dropped, by reason.',
    labels: ['reason']
  },
  sluice_produce_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from the flush of a batch to its acknowledgement by Kafka.',
    labels: [],
    buckets: latencySeconds
  },
  sluice_produce_in_flight_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Encoded bytes waiting for Kafka; above IN_FLIGHT_BYTES_MAX further requests get 503.',
    labels: []
  },
  sluice_produce_in_flight_records: {
    type: 'gauge',
    unit: 'records',
    across: 'sum',
    help: 'Records waiting for Kafka.',
    labels: []
  },
  sluice_rate_limit_local: {
    type: 'gauge',
    unit: '0 or 1',
    across: 'max',
    help: '1 while Redis is unavailable and this instance applies the whole limit on its own.',
    labels: []
  },
  sluice_rate_limit_requests_total: {
    type: 'counter',
    unit: 'requests',
    help: 'Requests to Redis for rate-limit points, by result: granted, cut, refused, failed.',
    labels: ['result']
  },
  sluice_rate_limit_leased_points_total: {
    type: 'counter',
    unit: 'points',
    help: 'Rate-limit points leased from Redis; unused points expire with their window.',
    labels: []
  },
  sluice_api_key_lookups_total: {
    type: 'counter',
    unit: 'lookups',
    help: 'API key lookups, by result: hit, unknown, miss, refreshed, stale, failed, refused.',
    labels: ['result']
  },
  sluice_emails_total: {
    type: 'counter',
    unit: 'emails',
    help: 'Emails, by outcome: sent, failed, dropped (queue full), not_configured (no MAIL_URL).',
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
    help: 'Time from the delivery of a batch to the commit of its offsets.',
    labels: ['topic'],
    buckets: latencySeconds
  },
  sluice_consumer_lag_messages: {
    type: 'gauge',
    unit: 'messages',
    across: 'max',
    help: 'Messages of the partition that the group has not settled; refreshed every 5 seconds.',
    labels: ['topic', 'partition']
  },
  sluice_consumer_paused_partitions: {
    type: 'gauge',
    unit: '0 or 1',
    across: 'max',
    help:
      '1 while the partition is paused (dead-letter limit reached, or dead-letter topic not ' +
      'writable).',
    labels: ['topic', 'partition']
  },
  sluice_consumer_retries_total: {
    type: 'counter',
    unit: 'batches',
    help: 'Batches retried because a service was unavailable.',
    labels: ['topic']
  },
  ...evaluationMetricRows,
  sluice_storage_delay_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help:
      'Time from the receipt of a decision to the commit of its row, including duplicates and ' +
      'erased decisions.',
    labels: [],
    buckets: delaySeconds
  },
  sluice_storage_default_partition_rows: {
    type: 'gauge',
    unit: 'rows',
    across: 'max',
    help: 'Rows in default partitions, counted up to 10000 per table; expected 0.',
    labels: []
  },
  sluice_storage_missing_partitions: {
    type: 'gauge',
    unit: 'partitions',
    across: 'max',
    help: 'Missing day partitions for today and the next seven days; expected 0.',
    labels: []
  },
  ...auditMetricRows,
  ...processMetricRows
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metricTable
export type LabelOf<Name extends MetricName> = (typeof metricTable)[Name]['labels'][number]
