/** Defines the metrics for evaluation and webhooks. */

const judgeSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120]

export const evaluationMetricRows = {
  sluice_evaluation_runs_total: {
    type: 'counter',
    unit: 'runs',
    help: 'Runs that ended outside a batch of decisions, by kind of evaluator, status and reason.',
    labels: ['kind', 'status', 'reason']
  },
  sluice_judge_calls_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Attempts that called a judge, by outcome: scored, or the reason for the missing score.',
    labels: ['outcome']
  },
  sluice_judge_call_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from a judge call to its response, error or timeout.',
    labels: [],
    buckets: judgeSeconds
  },
  sluice_pending_runs: {
    type: 'gauge',
    unit: 'runs',
    across: 'max',
    help:
      'Runs whose results are not stored yet, by status: scheduled, running, retrying, blocked, ' +
      'finished.',
    labels: ['status']
  },
  sluice_deferred_decisions: {
    type: 'gauge',
    unit: 'decisions',
    across: 'max',
    help: 'Deferred decisions of all organizations, counted up to 100000.',
    labels: []
  },
  sluice_connection_circuits_open: {
    type: 'gauge',
    unit: 'connections',
    across: 'max',
    help: 'Judge connections whose circuit is open and whose runs are blocked.',
    labels: []
  },
  sluice_webhook_deliveries_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Webhook deliveries, by outcome: delivered, retried, failed, expired, dropped.',
    labels: ['event', 'outcome']
  }
} as const
