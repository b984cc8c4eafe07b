/** Defines the metrics that `sluice audit --every` sets. */

export const auditMetricRows = {
  sluice_audit_missing_records: {
    type: 'gauge',
    unit: 'records',
    across: 'max',
    help: 'Settled decisions that the last audit did not find; set by sluice audit --every.',
    labels: []
  },
  sluice_audit_last_success_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'max',
    help: 'Time of the last complete audit, in seconds since 1970; 0 if there was none.',
    labels: []
  }
} as const
