/** Combines the explanations of all metrics, and defines the sections of docs/reference/metrics.md.
 */
import type { MetricName } from '../../platform/telemetry/metric-table.ts'
import {
  consumerMetricAdvice,
  evaluationMetricAdvice,
  storageMetricAdvice
} from './consumer-metric-advice.ts'
import { gatewayMetricAdvice } from './gateway-metric-advice.ts'
import type { MetricNote } from './metric-note.ts'

const processes = {
  sluice_ready: {
    advice: '0, or less than `sluice_workers`: `/readyz` or the log names what is missing.'
  },
  sluice_workers: {
    advice: 'Less than configured: a worker exited, and its replacement is starting.'
  },
  sluice_worker_restarts_total: {
    advice:
      'Any: the log line `worker exited, restarting` has the exit code or signal, and the ' +
      'line before it has the reason.'
  },
  sluice_build_info: {
    advice: 'Two versions for a long time: a rollout is stuck.'
  },
  sluice_event_loop_lag_seconds: {
    notes: '`quantile`: `0.5` is the median, `0.99` the 99th percentile, `1` the longest pause.',
    advice:
      'Median over 0.05: the process has more work than one core can handle. Start more ' +
      'instances or workers.'
  },
  sluice_process_cpu_seconds_total: {
    advice: 'A rate near 1 for each worker: start more instances or workers.'
  },
  sluice_process_resident_memory_bytes: {
    advice: 'Growing for hours under steady load: there is a leak. Report it.'
  },
  sluice_process_heap_used_bytes: {
    advice: 'Growing for hours under steady load: there is a leak. Report it.'
  },
  sluice_process_external_memory_bytes: {
    advice: 'Large: bodies are large, or the broker is slow; see `sluice_produce_in_flight_bytes`.'
  },
  sluice_process_gc_seconds: {
    advice: 'Long `major` pauses: the process has too little memory for the traffic.'
  },
  sluice_process_start_time_seconds: {
    notes: 'With workers, the time at which the primary started.',
    advice: 'Changes without a deployment: the process exited. Its last log line has the reason.'
  }
} satisfies Partial<Record<MetricName, MetricNote>>

export const metricAdvice: Readonly<Record<MetricName, MetricNote>> = {
  ...gatewayMetricAdvice,
  ...consumerMetricAdvice,
  ...evaluationMetricAdvice,
  ...storageMetricAdvice,
  ...processes
}

/** Sections of the page, with the metrics in each section. */
export const metricSections: Readonly<Record<string, readonly string[]>> = {
  Gateways: Object.keys(gatewayMetricAdvice),
  Consumers: Object.keys(consumerMetricAdvice),
  'Evaluation and webhooks': Object.keys(evaluationMetricAdvice),
  'Storage and audit': Object.keys(storageMetricAdvice),
  Processes: Object.keys(processes)
}
