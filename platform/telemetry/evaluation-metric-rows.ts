/** What evaluation and webhooks tell of themselves. */

const judgeSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120]

export const evaluationMetricRows = {
  sluice_evaluation_runs_total: {
    type: 'counter',
    unit: 'runs',
    help: 'Runs of the worker that ended, by kind of evaluator and how.',
    labels: ['kind', 'status', 'reason']
  },
  sluice_judge_calls_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Attempts that called a judge: scored, or why not.',
    labels: ['outcome']
  },
  sluice_judge_call_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the call of a judge to its answer, or to giving up.',
    labels: [],
    buckets: judgeSeconds
  },
  sluice_open_runs: {
    type: 'gauge',
    unit: 'runs',
    across: 'max',
    help: 'Runs that are not stored as ended: scheduled, running, retrying, blocked, finished.',
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
    help: 'Connections to judges whose runs are blocked.',
    labels: []
  },
  sluice_webhook_deliveries_total: {
    type: 'counter',
    unit: 'attempts',
    help: 'Deliveries to webhooks: delivered, retried, failed, and expired or dropped untried.',
    labels: ['event', 'outcome']
  }
} as const
