/** Defines the series of a healthy installation, and the cases in which each alert fires. */

/** Samples by series, one per minute, in promtool's notation. Null removes a series. */
export type Series = Readonly<Record<string, string | null>>

const steady = (value: number | string) => `${value}+0x180`
const growing = (by: number) => `0+${by}x180`
/** Returns a series that starts after 20 minutes. */
const appears = (value: number) => `_x20 ${value}+0x160`

const queued = 'sluice_ingest_outcomes_total{job="gateway",outcome="queued",reason=""}'
const logAway =
  'sluice_ingest_outcomes_total{job="gateway",outcome="rejected",reason="log_unavailable"}'
const stored = 'sluice_storage_delay_seconds_count{job="storage"}'
const soon = 'sluice_storage_delay_seconds_bucket{job="storage",le="10"}'
const answered = 'sluice_ingest_seconds_count{job="gateway"}'
const quickly = 'sluice_ingest_seconds_bucket{job="gateway",le="0.5"}'
const place = '{job="storage",topic="agent-decisions",partition="3"}'
const audited = (job: string) => `sluice_audit_last_success_timestamp_seconds{job="${job}"}`
const ready = (job: string) => `sluice_ready{job="${job}",instance="${job}-1"}`
const letters = (reason: string) =>
  'sluice_consumed_total{job="storage",topic="agent-decisions",outcome="dead_letter",' +
  `reason="${reason}"}`
const bug =
  'sluice_evaluation_runs_total{job="evaluation",kind="code",status="failed",reason="code_error"}'

/**
 * Ten decisions per second. Errors of the service itself happened only before the checked period.
 */
export const healthy: Series = {
  [ready('gateway')]: steady(1),
  [ready('storage')]: steady(1),
  [ready('evaluation')]: steady(1),
  [queued]: growing(600),
  'sluice_ingest_outcomes_total{job="gateway",outcome="rejected",reason="invalid_decision"}':
    growing(60),
  'sluice_ingest_outcomes_total{job="gateway",outcome="rejected",reason="rate_limited"}':
    growing(60),
  'sluice_http_requests_total{job="gateway",operation="ingest",status="202"}': growing(600),
  'sluice_http_requests_total{job="gateway",operation="ingest",status="422"}': growing(60),
  'sluice_http_requests_total{job="gateway",operation="ingest",status="503"}': steady(9),
  'sluice_shed_total{job="gateway",reason="wait"}': steady(5),
  'sluice_client_dropped_total{job="gateway",reason="queue_full"}': steady(7),
  'sluice_client_dropped_total{job="gateway",reason="redacted"}': growing(6),
  'sluice_api_key_lookups_total{job="gateway",result="hit"}': growing(600),
  'sluice_api_key_lookups_total{job="gateway",result="stale"}': steady(2),
  [answered]: growing(600),
  [quickly]: growing(598),
  'sluice_rate_limit_local{job="gateway"}': steady(0),
  'sluice_worker_restarts_total{job="gateway"}': steady(1),
  'sluice_event_loop_lag_seconds{job="gateway",quantile="0.5"}': steady(0.01),
  'sluice_event_loop_lag_seconds{job="gateway",quantile="0.99"}': steady(0.2),
  'sluice_emails_total{job="gateway",outcome="sent"}': growing(1),
  'sluice_emails_total{job="gateway",outcome="failed"}': steady(4),
  'sluice_consumed_total{job="storage",topic="agent-decisions",outcome="done",reason=""}':
    growing(600),
  [letters('id_conflict')]: steady(3),
  [stored]: growing(600),
  [soon]: growing(598),
  [`sluice_consumer_lag_messages${place}`]: steady(2000),
  [`sluice_consumer_paused_partitions${place}`]: steady(0),
  'sluice_consumer_retries_total{job="storage",topic="agent-decisions"}': steady(4),
  'sluice_storage_missing_partitions{job="storage"}': steady(0),
  'sluice_storage_default_partition_rows{job="storage"}': steady(0),
  'sluice_audit_missing_records{job="audit"}': steady(0),
  [audited('audit')]: '0+60x180',
  [audited('storage')]: steady(0),
  'sluice_connection_circuits_open{job="evaluation"}': steady(0),
  'sluice_pending_runs{job="evaluation",status="scheduled"}': steady(2000),
  'sluice_pending_runs{job="evaluation",status="finished"}': steady(20),
  'sluice_evaluation_runs_total{job="evaluation",kind="code",status="succeeded",reason=""}':
    growing(600),
  [bug]: steady(2),
  'sluice_judge_calls_total{job="evaluation",outcome="scored"}': growing(60),
  'sluice_judge_calls_total{job="evaluation",outcome="provider_unavailable"}': growing(2),
  'sluice_webhook_deliveries_total{job="evaluation",event="run.completed",outcome="failed"}':
    steady(30)
}

export interface AlertCase {
  readonly alert: string
  /** Why the alert fires. Distinguishes several cases of one alert. */
  readonly because?: string
  /** Differences from the healthy series. Null removes a series. */
  readonly series: Series
  /** Time of the check, in minutes after the start. */
  readonly at?: number
  /** Labels of the alert other than its severity. */
  readonly labels?: Readonly<Record<string, string>>
  readonly summary: string
  /** Alerts that must not fire in this case. */
  readonly quiet?: readonly string[]
}

const decisions = { topic: 'agent-decisions' }
/** Text after the percentage in the alert summary, by objective. */
const told = {
  availability: 'of decisions are rejected with a 5xx error',
  latency: 'of ingest requests take longer than half a second',
  completeness: 'of acknowledged decisions are not stored in time',
  freshness: 'of decisions take over 10 seconds to become readable'
}
const slips = ['Availability', 'Latency', 'Completeness', 'Freshness']
const burning = slips.map((name) => `Sluice${name}Burning`)

const storageCases: readonly AlertCase[] = [
  {
    alert: 'SluicePartitionPaused',
    series: { [`sluice_consumer_paused_partitions${place}`]: steady(1) },
    labels: { ...decisions, job: 'storage', partition: '3' },
    summary:
      'storage has paused agent-decisions/3: dead-letter limit reached, or dead-letter topic not ' +
      'writable'
  },
  {
    alert: 'SluiceDeadLetters',
    because: 'the count grows',
    series: { [letters('id_conflict')]: growing(2) },
    labels: { ...decisions, reason: 'id_conflict' },
    summary: '20 messages of agent-decisions became dead-letter records in 10 minutes: id_conflict'
  },
  {
    alert: 'SluiceDeadLetters',
    because: 'the first increment',
    series: { [letters('undecodable')]: appears(1) },
    at: 25,
    labels: { ...decisions, reason: 'undecodable' },
    summary: '1 messages of agent-decisions became dead-letter records in 10 minutes: undecodable'
  },
  {
    alert: 'SluiceConsumerLagGrowing',
    series: { [`sluice_consumer_lag_messages${place}`]: growing(200) },
    labels: { ...decisions, job: 'storage' },
    summary: 'storage is 12000 messages behind on agent-decisions, and the lag is growing'
  },
  {
    alert: 'SluiceConsumerRetrying',
    series: { 'sluice_consumer_retries_total{job="storage",topic="agent-decisions"}': growing(2) },
    labels: { ...decisions, job: 'storage' },
    summary: 'storage is retrying batches of agent-decisions: a service is unavailable'
  },
  {
    alert: 'SluicePartitionsMissing',
    series: { 'sluice_storage_missing_partitions{job="storage"}': steady(2) },
    summary: '2 day partitions for the coming days are missing'
  },
  {
    alert: 'SluiceDefaultPartitionInUse',
    series: { 'sluice_storage_default_partition_rows{job="storage"}': steady(40) },
    summary: '40 rows are in the default partitions'
  },
  {
    alert: 'SluiceStorageStalled',
    because: 'storage stores nothing',
    series: { [stored]: steady(9), [soon]: steady(9) },
    summary: 'decisions are acknowledged, but none are stored'
  },
  {
    alert: 'SluiceStorageStalled',
    because: 'the series is absent',
    series: { [stored]: null, [soon]: null },
    summary: 'decisions are acknowledged, but none are stored'
  },
  {
    alert: 'SluiceAuditMissing',
    series: { 'sluice_audit_missing_records{job="audit"}': steady(3) },
    summary: '3 acknowledged decisions are neither stored nor accounted for'
  },
  {
    alert: 'SluiceAuditStale',
    because: 'audits fail',
    series: { [audited('audit')]: steady(1) },
    at: 150,
    summary: 'no audit has completed for two hours'
  },
  {
    alert: 'SluiceAuditStale',
    because: 'the process is gone',
    series: { [audited('audit')]: '0+60x30' },
    at: 160,
    summary: 'no audit has completed for two hours'
  },
  {
    alert: 'SluiceAuditStale',
    because: 'audits fail since a restart',
    series: { [audited('audit')]: '0+60x30 0x150' },
    at: 160,
    summary: 'no audit has completed for two hours'
  },
  {
    alert: 'SluiceAuditStale',
    because: 'no audit has ever succeeded',
    series: { [audited('audit')]: steady(0) },
    at: 130,
    summary: 'no audit has completed for two hours'
  }
]

const gatewayCases: readonly AlertCase[] = [
  {
    alert: 'SluiceGatewayErrors',
    series: {
      'sluice_http_requests_total{job="gateway",operation="ingest",status="503"}': growing(60)
    },
    summary: '8.333% of the responses are 5xx'
  },
  {
    alert: 'SluiceShedding',
    series: { 'sluice_shed_total{job="gateway",reason="wait"}': growing(10) },
    summary: 'gateways are rejecting requests: a capacity limit is reached'
  },
  {
    alert: 'SluiceRateLimitLocal',
    series: { 'sluice_rate_limit_local{job="gateway"}': steady(1) },
    summary: 'Redis is unavailable, and each instance applies the whole rate limit on its own'
  },
  {
    alert: 'SluiceWorkersRestarting',
    series: { 'sluice_worker_restarts_total{job="gateway"}': growing(1) },
    summary: 'gateway workers keep exiting unexpectedly'
  },
  {
    alert: 'SluiceEventLoopSlow',
    series: { 'sluice_event_loop_lag_seconds{job="gateway",quantile="0.5"}': steady(0.08) },
    labels: { job: 'gateway' },
    summary: 'a gateway process has more work than one core can handle'
  },
  {
    alert: 'SluiceKeysStale',
    series: { 'sluice_api_key_lookups_total{job="gateway",result="stale"}': growing(5) },
    labels: { result: 'stale' },
    summary: 'API keys cannot be looked up in Postgres: 25 lookups in 5 minutes (stale)'
  },
  {
    alert: 'SluiceClientDrops',
    because: 'the count grows',
    series: { 'sluice_client_dropped_total{job="gateway",reason="queue_full"}': growing(4) },
    labels: { reason: 'queue_full' },
    summary: 'SDKs dropped 60 decisions in 15 minutes: queue_full'
  },
  {
    alert: 'SluiceClientDrops',
    because: 'a first report',
    series: { 'sluice_client_dropped_total{job="gateway",reason="shutdown"}': appears(9) },
    at: 25,
    labels: { reason: 'shutdown' },
    summary: 'SDKs dropped 9 decisions in 15 minutes: shutdown'
  },
  {
    alert: 'SluiceNotReady',
    series: { [ready('storage')]: steady(0) },
    labels: { job: 'storage', instance: 'storage-1' },
    summary: 'storage-1 of storage is not ready'
  },
  {
    alert: 'SluiceNotScraped',
    series: { [ready('gateway')]: null, [ready('storage')]: null, [ready('evaluation')]: null },
    summary: 'no Sluice process is being scraped'
  },
  {
    alert: 'SluiceEmailsFailing',
    series: { 'sluice_emails_total{job="gateway",outcome="failed"}': growing(1) },
    labels: { outcome: 'failed' },
    summary: '30 emails were not sent in 30 minutes: failed'
  }
]

const evaluationCases: readonly AlertCase[] = [
  {
    alert: 'SluiceJudgesBlocked',
    series: { 'sluice_connection_circuits_open{job="evaluation"}': steady(1) },
    summary: 'runs of 1 judge connections are blocked'
  },
  {
    alert: 'SluiceEvaluationBacklog',
    series: { 'sluice_pending_runs{job="evaluation",status="scheduled"}': '2000+0.01x180' },
    summary: '2000 runs are waiting for a judge or a pushed score, and the number is growing'
  },
  {
    alert: 'SluiceDeferredGrowing',
    series: { 'sluice_deferred_decisions{job="evaluation"}': '2000+0.01x180' },
    summary: 'the evaluation of 2000 decisions is deferred, and the number is growing'
  },
  {
    alert: 'SluiceJudgeCallsFailing',
    series: {
      'sluice_judge_calls_total{job="evaluation",outcome="provider_unavailable"}': growing(30)
    },
    summary: '33.33% of judge calls return no score'
  },
  {
    alert: 'SluiceRunsNotStored',
    series: { 'sluice_pending_runs{job="evaluation",status="finished"}': steady(5000) },
    summary: '5000 runs have ended but are not stored'
  },
  {
    alert: 'SluiceEvaluatorsBroken',
    because: 'the count grows',
    series: { [bug]: growing(1) },
    summary: '15 runs ended in 15 minutes because of a bug in a built-in evaluator'
  },
  {
    alert: 'SluiceEvaluatorsBroken',
    because: 'the first increment',
    series: { [bug]: appears(1) },
    at: 30,
    summary: '1 runs ended in 15 minutes because of a bug in a built-in evaluator'
  },
  {
    alert: 'SluiceWebhooksFailing',
    series: {
      'sluice_webhook_deliveries_total{job="evaluation",event="run.completed",outcome="failed"}':
        growing(1)
    },
    labels: { event: 'run.completed' },
    summary: 'Sluice gave up on 30 webhook deliveries for run.completed in 30 minutes'
  }
]

/**
 * Two burn rates per objective: one uses up the error budget in days, the other within the month.
 * The expected averages include the first minute, which has no traffic.
 */
const objectiveCases: readonly AlertCase[] = (
  [
    ['availability', { [logAway]: 60 }, '9.091%', { [logAway]: 2 }, '0.3289%'],
    ['latency', { [quickly]: 400 }, '33.33%', { [quickly]: 580 }, '3.333%'],
    ['completeness', { [stored]: 500, [soon]: 498 }, '16.67%', { [stored]: 598 }, '0.3333%'],
    ['freshness', { [soon]: 300 }, '50%', { [soon]: 580 }, '3.333%']
  ] as const
).flatMap(([slo, fast, fastRatio, slow, slowRatio]) => {
  const name = `Sluice${slo.slice(0, 1).toUpperCase()}${slo.slice(1)}`
  const paces = (each: Readonly<Record<string, number>>): Series =>
    Object.fromEntries(Object.entries(each).map(([series, by]) => [series, growing(by)]))
  const labels = { slo }
  const others = burning.filter((other) => other !== `${name}Burning`)
  return [
    {
      ...{ alert: `${name}Burning`, series: paces(fast), at: 100, labels, quiet: others },
      summary: `${fastRatio} ${told[slo]}`
    },
    {
      ...{ alert: `${name}Slipping`, series: paces(slow), at: 100, labels, quiet: burning },
      summary: `${slowRatio} ${told[slo]}, measured over 3 days`
    }
  ]
})

export const alertCases = [...storageCases, ...gatewayCases, ...evaluationCases, ...objectiveCases]

/** Cases in which no page may be sent, such as small or past outages. */
export const quietCases: readonly (Pick<AlertCase, 'series'> & {
  readonly what: string
  readonly at: number
  readonly quiet: readonly string[]
})[] = [
  {
    what: 'an outage of ten minutes that ended half an hour ago',
    series: { [logAway]: '0x40 0+600x10 6000x130' },
    at: 95,
    quiet: burning
  },
  {
    what: 'one minute of refusals in two hours',
    series: { [logAway]: '0x90 300x90' },
    at: 105,
    quiet: burning
  },
  {
    what: 'a restart of storage that it catches up on',
    series: {
      [stored]: '0+600x60 36000x3 39000+600x115',
      [soon]: '0+600x60 36000x3 39000+600x115'
    },
    at: 75,
    quiet: burning
  },
  {
    what: 'no traffic',
    series: Object.fromEntries(
      [queued, stored, soon, answered, quickly].map((s) => [s, steady(9)])
    ),
    at: 60,
    quiet: [...burning, 'SluiceStorageStalled', 'SluiceGatewayErrors']
  },
  {
    what: 'no audit process, as by default',
    series: { [audited('audit')]: null },
    at: 175,
    quiet: ['SluiceAuditStale']
  },
  {
    what: 'a new audit process that has not completed its first audit',
    series: { [audited('audit')]: '_x100 0x80' },
    at: 175,
    quiet: ['SluiceAuditStale']
  }
]
