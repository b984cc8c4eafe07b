/** Explains the metrics of gateways for docs/reference/metrics.md. */
import type { MetricName } from '../../platform/telemetry/metric-table.ts'
import type { MetricNote } from './metric-note.ts'

const operations = '../guides/operations'

export const gatewayMetricAdvice = {
  sluice_ingest_outcomes_total: {
    notes:
      '`outcome` is `queued` or `rejected`; `reason` is the error code. A rejected batch ' +
      'counts once. Requests rejected before they are read are in `sluice_shed_total`.',
    advice:
      'Look up the most frequent `reason` in [errors.md](errors.md). `log_unavailable`: the ' +
      'cause is Kafka. `overloaded`: the cause is Kafka, or a limit that ' +
      '`sluice_shed_total` names. Codes with status 4xx: the cause is a client; find it by ' +
      'the `X-Request-Id` of a request.'
  },
  sluice_http_requests_total: {
    notes: 'Paths that do not exist have the operation `unknown`.',
    advice:
      '500: a bug; the log has its `request_id`. 503: see ' +
      `[Failures](${operations}/failures.md).`
  },
  sluice_ingest_seconds: {
    notes: 'The time that a slow caller takes to send its body is included.',
    advice:
      'Slow while `sluice_produce_seconds` is fast: the cause is the event loop, Redis, or ' +
      'callers with slow connections.'
  },
  sluice_ingest_unknown_members_total: {
    advice:
      'A client sends properties that are not stored. Usually a name is misspelled, or the ' +
      'property belongs in `metadata`.'
  },
  sluice_usage_flushes_total: {
    advice:
      '`failed` for a long time: Redis is unavailable. No request is rejected because of it, but ' +
      'usage counts of keys and of rejected attempts are delayed.'
  },
  sluice_usage_dropped_total: {
    notes:
      '`key`, `agent`, `attempt`: too many different keys, agents or rejected attempts between ' +
      'two flushes. `batch`: all counters of an earlier hour, because too many hours were waiting.',
    advice:
      'Counts of keys and agents are too low. `agent`: a client names thousands of agents in ' +
      'rejected decisions. `batch`: Redis was unavailable for hours.'
  },
  sluice_ingest_body_bytes_total: {
    notes: '`received`: as sent. `encoded`: as written to Kafka.',
    advice: '`received` equal to `decompressed`: clients do not compress.'
  },
  sluice_requests_in_progress: {
    notes: 'Requests that wait in the queue are included.',
    advice:
      'Near `REQUESTS_MAX`: the process or Kafka is too slow for the traffic. Start more instances.'
  },
  sluice_held_body_bytes: {
    advice:
      'Near `BODY_BYTES_MAX`: many large bodies arrive at the same time, or callers send slowly.'
  },
  sluice_shed_total: {
    notes:
      'Rejected unread: `connections` (too many open; also connections closed to make ' +
      'room), `requests` (too many in progress), `wait` (the ingest path is slow), ' +
      '`pipeline` (too many on one connection). Rejected while being read: `body_bytes`. ' +
      'Rejected after reading: `streams` (too many tails and exports), `share` (an organization ' +
      'or network exceeds [its limits](limits.md); the log names it). Closed: `unread` (the ' +
      'slowest reader, when too many response bytes are unread).',
    advice:
      'Growing: the gateway has reached its capacity and responds with 503. Start more ' +
      'instances. `share`, and often `streams` and `body_bytes`: one organization sends too ' +
      'much. More instances also raise its limits.'
  },
  sluice_streams_open: {
    notes: '`kind` is `tail` or `export`.',
    advice:
      'Near `STREAMS_MAX`: new streams will soon get 503. Start more instances, or find the ' +
      'caller that opens them: [tails and exports](../guides/tails-and-exports.md).'
  },
  sluice_ingest_batch_decisions: {
    notes: 'Rejected decisions are included.',
    advice:
      'Batches of one: an SDK flushes too early, and each decision costs several times as ' +
      'much as necessary.'
  },
  sluice_otlp_spans_total: {
    notes:
      '`ignored`: spans that are not steps of an agent. `rejected`: the response to the exporter ' +
      'says why.',
    advice: 'Many `rejected`: `sluice_otlp_rejected_total` has the reasons.'
  },
  sluice_otlp_log_records_total: {
    notes:
      '`scored` records are results of evaluations. Records that contain neither messages nor ' +
      'such a result are `ignored`.',
    advice: 'Many `rejected`: `sluice_otlp_rejected_total` has the reasons.'
  },
  sluice_otlp_rejected_total: {
    notes:
      '`content_not_captured`, `ids_missing`, `reply_missing`, `value_invalid`, or the code of a ' +
      'problem of the decision or the score.',
    advice:
      '`content_not_captured`: the instrumentation does not record [inputs and ' +
      'outputs](../guides/opentelemetry.md#configure-the-exporter). `reply_missing`: the ' +
      'exporter does not send the [log records](../guides/opentelemetry.md#content-in-log-records) of a ' +
      'call together.'
  },
  sluice_client_dropped_total: {
    notes:
      '`other`: all reasons without their own count. `unreadable`: reports that cannot be parsed.',
    advice:
      'Any: `queue_full` and `retries_exhausted` mean that a client could not reach the ' +
      'gateway for a long time.'
  },
  sluice_produce_seconds: {
    notes: 'Failed batches are not included.',
    advice: 'Slow: the cause is the broker, its disk, its replicas or the network.'
  },
  sluice_produce_in_flight_bytes: {
    advice:
      'Near `IN_FLIGHT_BYTES_MAX`: callers will soon get `overloaded`. Fix the broker ' +
      'first, because a higher limit only uses more memory.'
  },
  sluice_produce_in_flight_records: {
    advice: 'Growing while the request rate is steady: the broker is too slow.'
  },
  sluice_rate_limit_local: {
    advice:
      '1: restore Redis. Until then, an organization may use its whole limit on each instance.'
  },
  sluice_rate_limit_requests_total: {
    notes:
      '`cut`: Redis granted fewer points than requested. `refused`: the window has no points left.',
    advice:
      'Far more than a few per key per second: many agents or keys send little traffic each. ' +
      '`failed`: Redis is unavailable or slow.'
  },
  sluice_rate_limit_leased_points_total: {
    advice:
      'Far above the decisions received: instances start and stop before they use their points.'
  },
  sluice_api_key_lookups_total: {
    notes:
      '`hit`, `unknown`: the cache knows that the key exists or does not exist. `miss`: the key ' +
      'is not in the cache. `refreshed`: a cached key was looked up again. `stale`: Postgres is ' +
      'unavailable, and a cached key still works. `failed`: Postgres is unavailable, and the ' +
      'caller gets 503. `refused`: too many lookups of unknown keys are in progress.',
    advice:
      '`stale` or `failed`: restore Postgres; cached keys work for 10 minutes. Many ' +
      '`miss`, `unknown` or `refused`: a client tries keys that do not exist.'
  },
  sluice_emails_total: {
    notes:
      'Emails confirm a registration, verify an address or reset a password. `failed`: four ' +
      'attempts failed, or the mail server rejected the email permanently. `dropped`: 1,000 ' +
      'emails were already waiting.',
    advice:
      '`failed` or `dropped`: restore the mail server; users can request another email. ' +
      '`not_configured`: set [`MAIL_URL`](settings.md).'
  }
} satisfies Partial<Record<MetricName, MetricNote>>
