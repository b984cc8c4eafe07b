/** Defines the Grafana dashboards: pages, rows, panels and their queries. */

export interface Panel {
  readonly title: string
  /** Grafana's identifier for the unit, for example `s`. */
  readonly unit: string
  /** PromQL expressions by legend. */
  readonly queries: Readonly<Record<string, string>>
  /** Whether to show a single number instead of a graph. */
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
  title: 'Sluice: overview',
  rows: {
    'Error budgets (30 days)': [
      {
        ...panel('Remaining error budget', 'percentunit', {
          '{{slo}}': 'sluice:slo_budget_left:ratio30d'
        }),
        isFigure: true
      },
      panel('Burn rate (1 uses up the budget in 30 days; over 14 pages an operator)', 'none', {
        '{{slo}}, 1 h':
          'sluice:slo_errors:ratio_rate1h / on (slo) (1 - sluice:slo_objective:ratio)',
        '{{slo}}, 6 h': 'sluice:slo_errors:ratio_rate6h / on (slo) (1 - sluice:slo_objective:ratio)'
      })
    ],
    'Data loss': [
      panel('Decisions: acknowledged and stored', 'ops', {
        acknowledged: `sum(${rate('sluice_ingest_outcomes_total{outcome="queued"}')})`,
        stored: `sum(${rate('sluice_storage_delay_seconds_count')})`
      }),
      panel('Missing messages in the last audit', 'none', {
        missing: 'max(sluice_audit_missing_records)'
      }),
      panel(
        'Dead-letter records',
        'ops',
        sumBy('reason', 'sluice_consumed_total{outcome="dead_letter"}')
      ),
      panel('Dropped by SDKs', 'ops', sumBy('reason', 'sluice_client_dropped_total'))
    ],
    Latency: [
      percentiles('Ingest latency', 'sluice_ingest_seconds'),
      percentiles('Storage delay', 'sluice_storage_delay_seconds')
    ],
    Availability: [
      panel('Ready processes', 'none', { '{{job}}': 'sum by (job) (sluice_ready)' }),
      panel('Versions', 'none', { '{{version}}': 'count by (version) (sluice_build_info)' })
    ]
  }
}

const gateway: Page = {
  uid: 'sluice-gateway',
  title: 'Sluice: gateways',
  rows: {
    Traffic: [
      panel('Responses', 'reqps', sumBy('status', 'sluice_http_requests_total')),
      panel(
        'Rejected decisions',
        'ops',
        sumBy('reason', 'sluice_ingest_outcomes_total{outcome="rejected"}')
      ),
      panel('Request bytes', 'Bps', sumBy('stage', 'sluice_ingest_body_bytes_total')),
      panel('Decisions per batch', 'none', {
        mean: meanOf('sluice_ingest_batch_decisions')
      })
    ],
    Capacity: [
      panel('Shed requests', 'reqps', sumBy('reason', 'sluice_shed_total')),
      panel('Requests in progress', 'none', {
        '{{instance}}': 'sum by (instance) (sluice_requests_in_progress)'
      }),
      panel('Request bodies in memory', 'bytes', {
        '{{instance}}': 'sum by (instance) (sluice_held_body_bytes)'
      }),
      panel('Open streams', 'none', { '{{kind}}': 'sum by (kind) (sluice_streams_open)' })
    ],
    Kafka: [
      percentiles('Produce latency', 'sluice_produce_seconds'),
      panel('Bytes in flight', 'bytes', {
        '{{instance}}': 'sum by (instance) (sluice_produce_in_flight_bytes)'
      })
    ],
    'Redis and Postgres': [
      panel('Instances with local rate limits', 'none', {
        instances: 'sum(sluice_rate_limit_local)'
      }),
      panel('Rate-limit requests', 'ops', sumBy('result', 'sluice_rate_limit_requests_total')),
      panel('API key lookups', 'ops', sumBy('result', 'sluice_api_key_lookups_total')),
      panel('Emails', 'ops', sumBy('outcome', 'sluice_emails_total'))
    ]
  }
}

const consumers: Page = {
  uid: 'sluice-consumers',
  title: 'Sluice: storage and evaluation',
  rows: {
    Consumption: [
      panel('Consumer lag', 'none', {
        '{{job}} {{topic}}':
          'sum by (job, topic) (max by (job, topic, partition) (sluice_consumer_lag_messages))'
      }),
      panel('Paused partitions', 'none', {
        '{{topic}}/{{partition}}':
          'max by (topic, partition) (sluice_consumer_paused_partitions) > 0'
      }),
      panel('Settled messages', 'ops', {
        '{{job}} {{topic}} {{outcome}}': ratesBy('job, topic, outcome', 'sluice_consumed_total')
      }),
      panel('Retries', 'ops', sumBy('topic', 'sluice_consumer_retries_total'))
    ],
    Storage: [
      percentiles('Batch duration', 'sluice_consumer_batch_seconds', 'topic'),
      panel('Missing day partitions, rows in the default partition', 'none', {
        days: 'max(sluice_storage_missing_partitions)',
        rows: 'max(sluice_storage_default_partition_rows)'
      })
    ],
    Evaluation: [
      panel('Pending runs', 'none', { '{{status}}': 'max by (status) (sluice_pending_runs)' }),
      panel('Deferred decisions', 'none', { decisions: 'max(sluice_deferred_decisions)' }),
      panel('Runs', 'ops', {
        '{{kind}} {{status}}': ratesBy('kind, status', 'sluice_evaluation_runs_total')
      }),
      panel('Judge calls', 'ops', sumBy('outcome', 'sluice_judge_calls_total')),
      percentiles('Judge call duration', 'sluice_judge_call_seconds'),
      panel('Open circuits', 'none', {
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
      panel('Event loop lag (median)', 's', {
        '{{job}} {{instance}}':
          'max by (job, instance) (sluice_event_loop_lag_seconds{quantile="0.5"})'
      }),
      panel('Worker restarts', 'ops', {
        '{{instance}}': ratesBy('instance', 'sluice_worker_restarts_total')
      })
    ]
  }
}

export const panels: readonly Page[] = [overview, gateway, consumers]
