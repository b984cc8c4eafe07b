/** Defines the metrics for evaluation and webhooks. */

const judgeSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120]

export const evaluationMetricRows = {
  sluice_evaluation_runs_total: {
    type: 'counter',
    unit: 'runs',
    help: 'Runs ended by the worker, by kind of evaluator, status and reason.',
    labels: ['kind', 'status', 'reason']
  },
  sluice_judge_calls_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Attempts that called a judge, by outcome: scored, or the reason why not.',
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
    help: 'Runs without a stored end, by status: scheduled, running, retrying, blocked, finished.',
    labels: ['status']
  },
  sluice_deferred_decisions: {
    type: 'gauge',
    unit: 'decisions',
    across: 'max',
    help: 'Decisions of all organizations whose evaluation is deferred, counted up to 100000.',
    labels: []
  },
  sluice_connection_circuits_open: {
    type: 'gauge',
    unit: 'connections',
    across: 'max',
    help: 'Judge connections whose circuit is open; their runs are blocked.',
    labels: []
  },
  sluice_webhook_deliveries_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Webhook deliveries: delivered, retried, failed, and expired or dropped untried.',
    labels: ['event', 'outcome']
  }
} as const
