/** What the dashboards show, as data: pages of rows of panels, each a question and its queries. */

export interface Panel {
  readonly title: string
  /** A unit as Grafana names it. */
  readonly unit: string
  /** Expressions of PromQL by their legends. */
  readonly queries: Readonly<Record<string, string>>
  /** A single figure instead of a curve. */
  readonly isFigure?: boolean
}

export interface Page {
  readonly uid: string
  readonly title: string
  readonly rows: Readonly<Record<string, readonly Panel[]>>
}

const window = '$__rate_interval'
const rate = (series: string) => `rate(${series}[${window}])`
const ratesBy = (labels: string, series: string) => `sum by (${labels}) (${rate(series)})`
const sumBy = (label: string, series: string) => ({ [`{{${label}}}`]: ratesBy(label, series) })
const meanOf = (histogram: string) =>
  `sum(${rate(`${histogram}_sum`)}) / sum(${rate(`${histogram}_count`)})`

function panel(title: string, unit: string, queries: Panel['queries']): Panel {
  return { title, unit, queries }
}

function percentiles(title: string, histogram: string, label?: string): Panel {
  const by = label === undefined ? 'le' : `le, ${label}`
  const of = (q: string) =>
    `histogram_quantile(${q}, sum by (${by}) (${rate(`${histogram}_bucket`)}))`
  const legend = label === undefined ? '' : ` {{${label}}}`
  return panel(title, 's', { [`p50${legend}`]: of('0.5'), [`p99${legend}`]: of('0.99') })
}

const overview: Page = {
  uid: 'sluice-overview',
  title: 'Sluice: what is promised',
  rows: {
    'Error budgets of 30 days': [
      {
        ...panel('Budget left', 'percentunit', { '{{slo}}': 'sluice:slo_budget_left:ratio30d' }),
        isFigure: true
      },
      panel('How fast it burns: 1 lasts the month, over 14 wakes somebody', 'none', {
        '{{slo}}, 1 h':
          'sluice:slo_errors:ratio_rate1h / on (slo) (1 - sluice:slo_objective:ratio)',
        '{{slo}}, 6 h': 'sluice:slo_errors:ratio_rate6h / on (slo) (1 - sluice:slo_objective:ratio)'
      })
    ],
    'Is anything missing?': [
      panel('Decisions: acknowledged and stored', 'ops', {
        acknowledged: `sum(${rate('sluice_ingest_outcomes_total{outcome="queued"}')})`,
        stored: `sum(${rate('sluice_storage_delay_seconds_count')})`
      }),
      panel('Missing at the last audit', 'none', {
        missing: 'max(sluice_audit_missing_records)'
      }),
      panel('Dead letters', 'ops', sumBy('reason', 'sluice_consumed_total{outcome="dead_letter"}')),
      panel('Dropped by SDKs', 'ops', sumBy('reason', 'sluice_client_dropped_total'))
    ],
    'How long does it take?': [
      percentiles('Until it is acknowledged', 'sluice_ingest_seconds'),
      percentiles('Until it can be read', 'sluice_storage_delay_seconds')
    ],
    'Is it up?': [
      panel('Ready processes', 'none', { '{{job}}': 'sum by (job) (sluice_ready)' }),
      panel('Versions', 'none', { '{{version}}': 'count by (version) (sluice_build_info)' })
    ]
  }
}

const gateway: Page = {
  uid: 'sluice-gateway',
  title: 'Sluice: gateways',
  rows: {
    'What comes in': [
      panel('Answers', 'reqps', sumBy('status', 'sluice_http_requests_total')),
      panel(
        'Refused decisions',
        'ops',
        sumBy('reason', 'sluice_ingest_outcomes_total{outcome="rejected"}')
      ),
      panel('Bytes', 'Bps', sumBy('stage', 'sluice_ingest_body_bytes_total')),
      panel('Decisions in a batch', 'none', {
        mean: meanOf('sluice_ingest_batch_decisions')
      })
    ],
    'Is there room?': [
      panel('Turned away', 'reqps', sumBy('reason', 'sluice_shed_total')),
      panel('Requests in progress', 'none', {
        '{{instance}}': 'sum by (instance) (sluice_requests_in_progress)'
      }),
      panel('Bodies in memory', 'bytes', {
        '{{instance}}': 'sum by (instance) (sluice_held_body_bytes)'
      }),
      panel('Streams', 'none', { '{{kind}}': 'sum by (kind) (sluice_streams_open)' })
    ],
    'The log': [
      percentiles('Until the broker has it', 'sluice_produce_seconds'),
      panel('Bytes that wait for it', 'bytes', {
        '{{instance}}': 'sum by (instance) (sluice_produce_in_flight_bytes)'
      })
    ],
    'Redis and Postgres': [
      panel('Instances that limit alone', 'none', { instances: 'sum(sluice_rate_limit_local)' }),
      panel('Requests for points', 'ops', sumBy('result', 'sluice_rate_limit_requests_total')),
      panel('Look-ups of keys', 'ops', sumBy('result', 'sluice_api_key_lookups_total')),
      panel('Letters to people', 'ops', sumBy('outcome', 'sluice_mails_total'))
    ]
  }
}

const consumers: Page = {
  uid: 'sluice-consumers',
  title: 'Sluice: storage and evaluation',
  rows: {
    'Are they behind?': [
      panel('Lag', 'none', {
        '{{job}} {{topic}}':
          'sum by (job, topic) (max by (job, topic, partition) (sluice_consumer_lag_messages))'
      }),
      panel('Partitions that stand still', 'none', {
        '{{topic}}/{{partition}}':
          'max by (topic, partition) (sluice_consumer_stopped_partitions) > 0'
      }),
      panel('Settled', 'ops', {
        '{{job}} {{topic}} {{outcome}}': ratesBy('job, topic, outcome', 'sluice_consumed_total')
      }),
      panel('Tried again', 'ops', sumBy('topic', 'sluice_consumer_retries_total'))
    ],
    Storage: [
      percentiles('Batches', 'sluice_consumer_batch_seconds', 'topic'),
      panel('Days without a partition, rows in none', 'none', {
        days: 'max(sluice_storage_missing_partitions)',
        rows: 'max(sluice_storage_default_partition_rows)'
      })
    ],
    Evaluation: [
      panel('Open runs', 'none', { '{{status}}': 'max by (status) (sluice_open_runs)' }),
      panel('Deferred decisions', 'none', { decisions: 'max(sluice_deferred_decisions)' }),
      panel('Runs', 'ops', {
        '{{kind}} {{status}}': ratesBy('kind, status', 'sluice_evaluation_runs_total')
      }),
      panel('Calls of judges', 'ops', sumBy('outcome', 'sluice_judge_calls_total')),
      percentiles('How long judges take', 'sluice_judge_call_seconds'),
      panel('Connections that are blocked', 'none', {
        connections: 'max(sluice_connection_circuits_open)'
      }),
      panel('Webhooks', 'ops', sumBy('outcome', 'sluice_webhook_deliveries_total'))
    ],
    Processes: [
      panel('Cores', 'none', {
        '{{job}} {{instance}}': ratesBy('job, instance', 'sluice_process_cpu_seconds_total')
      }),
      panel('Memory', 'bytes', {
        '{{job}} {{instance}}': 'sum by (job, instance) (sluice_process_resident_memory_bytes)'
      }),
      panel('How late the loop is, median', 's', {
        '{{job}} {{instance}}':
          'max by (job, instance) (sluice_event_loop_lag_seconds{quantile="0.5"})'
      }),
      panel('Workers that ended', 'ops', {
        '{{instance}}': ratesBy('instance', 'sluice_worker_restarts_total')
      })
    ]
  }
}

export const panels: readonly Page[] = [overview, gateway, consumers]
