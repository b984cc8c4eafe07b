/** The rows of the metric table about audits of the log. */

export const auditMetricRows = {
  sluice_audit_missing_records: {
    type: 'gauge',
    unit: 'records',
    across: 'max',
    help: 'Settled decisions of the last audit that are nowhere; sluice audit --every sets it.',
    labels: []
  },
  sluice_audit_last_success_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'max',
    help: 'When the last whole audit was made, in seconds since 1970; 0 where there was none.',
    labels: []
  }
} as const
