/** Explains the metrics of consumers for docs/reference/metrics.md. */
import type { MetricName } from '../../platform/telemetry/metric-table.ts'
import type { MetricNote } from './metric-note.ts'

const operations = '../guides/operations'

export const consumerMetricAdvice = {
  sluice_consumed_total: {
    notes:
      '`erased`: not stored, because of ' +
      `[an erasure](${operations}/retention-and-erasure.md). \`deferred\`: ` +
      '[evaluated later](limits.md#evaluation). `dead_letter` has a `reason`.',
    advice:
      `Any \`dead_letter\`: [find its cause](${operations}/dead-letters.md). Many ` +
      '`duplicate`: a client sends decisions repeatedly, or the offsets of a group were ' +
      'reset.'
  },
  sluice_consumer_batch_seconds: {
    notes: 'Time spent waiting for an unavailable service is included.',
    advice: 'Slow: check Postgres for storage, and Kafka for evaluation.'
  },
  sluice_consumer_lag_messages: {
    notes:
      'Every member measures all partitions, even while it settles no batch. While Kafka is ' +
      'unavailable, the metric keeps its last value.',
    advice:
      'Growing: a service is unavailable (`sluice_consumer_retries_total`), a partition is ' +
      'paused, or the group needs more members, up to one per partition.'
  },
  sluice_consumer_paused_partitions: {
    advice: `1: [Paused partitions](${operations}/dead-letters.md#paused-partitions).`
  },
  sluice_consumer_retries_total: {
    advice:
      'Growing: Postgres, the registry or Kafka is unavailable. ' +
      'The log line `retrying after a transient error` names the service.'
  }
} satisfies Partial<Record<MetricName, MetricNote>>

export const evaluationMetricAdvice = {
  sluice_evaluation_runs_total: {
    notes:
      'These are judge runs, replayed runs, and runs that expired or were canceled. Other runs ' +
      'end within a batch of decisions or with a pushed score, and are not included.',
    advice:
      '`failed` or `expired` growing: `reason` has the cause; `GET /v1/evaluation/runs` lists ' +
      'the runs.'
  },
  sluice_judge_calls_total: {
    advice:
      '`provider_*` growing: the provider is unavailable or rejects the key. ' +
      '`invalid_result`: the model does not follow the schema.'
  },
  sluice_judge_call_seconds: {
    advice: 'Near the timeouts of the evaluators: the provider is slow.'
  },
  sluice_pending_runs: {
    notes: 'Measured every 15 seconds. Runs that are `finished` wait on the topic to be stored.',
    advice:
      '`scheduled` growing: `JUDGE_CALLS_MAX` or the limit of a connection is too low, or an ' +
      'organization does not push its scores. ' +
      '`blocked`: see `sluice_connection_circuits_open`. `finished`: storage is behind.'
  },
  sluice_deferred_decisions: {
    notes: 'See [deferred evaluation](limits.md#evaluation). Measured every 15 seconds.',
    advice: `Growing: [find the organizations](${operations}/evaluation.md#deferred-decisions).`
  },
  sluice_connection_circuits_open: {
    notes:
      'The runs stay blocked until a probe succeeds. They use up no attempts, but they still ' +
      'expire at the end of their time to live.',
    advice: 'Over 0: the state of the connection has the reason, for example a rejected key.'
  },
  sluice_webhook_deliveries_total: {
    notes:
      '`retried`: will be attempted again; `failed`: given up; `expired`: too old before an ' +
      'attempt. `dropped`: storage did not write the delivery, because the organization has ' +
      '[too many pending](limits.md#webhooks).',
    advice:
      '`dropped`: the storage log names the organization. Many `failed`: receivers are ' +
      'unavailable. The owners see the reason in `GET ' +
      '/v1/evaluation/webhooks/{id}/deliveries`.'
  }
} satisfies Partial<Record<MetricName, MetricNote>>

export const storageMetricAdvice = {
  sluice_storage_delay_seconds: {
    notes:
      "The delay starts at the time of receipt on the gateway's clock. The count includes " +
      'every decision that storage has processed, except dead-letter records.',
    advice:
      'Slow: storage is behind; check its lag. Replayed dead-letter records keep their ' +
      'original time.'
  },
  sluice_storage_default_partition_rows: {
    notes: 'Measured every minute. The rows are stored and can be read.',
    advice:
      'Over 0 for more than a few minutes: the partitions for their days cannot be created, or ' +
      'the rows cannot be moved. The storage log has the reason.'
  },
  sluice_storage_missing_partitions: {
    notes: 'Counts partitions of `decisions` and `evaluations`. Measured every minute.',
    advice:
      'Over 0 for more than a few minutes: storage cannot create partitions. Its log has ' +
      'the reason, for example a long-held lock or a missing privilege.'
  },
  sluice_audit_missing_records: {
    notes: 'Always 0 except in `sluice audit --every`.',
    advice:
      'Any: the log has the partition and offset; [store the missing ' +
      `decisions](${operations}/audit.md#store-missing-decisions).`
  },
  sluice_audit_last_success_timestamp_seconds: {
    advice:
      'Long ago: the log line `audit failed` has the reason, or the audit process is not running.'
  }
} satisfies Partial<Record<MetricName, MetricNote>>
