/** The rows of the metric table about facts that only a gateway knows. */

export const factMetricRows = {
  sluice_facts_flushes_total: {
    type: 'counter',
    unit: 'flushes',
    help: 'Attempts to write to Redis what only the gateway knows, by outcome: written, failed.',
    labels: ['outcome']
  },
  sluice_facts_left_out_total: {
    type: 'counter',
    unit: 'facts',
    help: 'What was not noted, since it is one too many: keys, agents, attempts, or whole batches.',
    labels: ['kind']
  }
} as const
