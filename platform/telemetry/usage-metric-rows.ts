/** Defines the metrics that count flushes of usage counters, and counters dropped at a limit. */

export const usageMetricRows = {
  sluice_usage_flushes_total: {
    type: 'counter',
    unit: 'flushes',
    help: 'Flushes of usage counters to Redis, by outcome: written, failed.',
    labels: ['outcome']
  },
  sluice_usage_dropped_total: {
    type: 'counter',
    unit: 'counters',
    help: 'Usage counters dropped at a limit, by kind: key, agent, attempt, batch.',
    labels: ['kind']
  }
} as const
