/** Defines the result of a benchmark mode. */

export interface BenchResult {
  /**
   * False if the mode's own check failed, for example because a decision was lost or a read request
   * failed.
   */
  readonly isComplete: boolean
  /** Markdown lines for the terminal and the performance pages. */
  readonly page: readonly string[]
  /** The figures as data, or null if none are saved. */
  readonly figures: object | null
}
