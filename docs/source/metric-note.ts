/** Defines what docs/reference/metrics.md says about a metric in addition to its help text. */
export interface MetricNote {
  /** Label values, and details that the help text omits. */
  readonly notes?: string
  /** Values that indicate a problem, and what to do about it. */
  readonly advice: string
}
