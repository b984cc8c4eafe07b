/** What a way of benching hands back: whether all is well, and what is kept. */

export interface Outcome {
  /** False when something that was accepted is not in the topic. */
  readonly isComplete: boolean
  /** Tables in Markdown and sentences, as printed and as docs/performance.md shows them. */
  readonly page: readonly string[]
  /** The figures behind them, as data; null when nothing is kept. */
  readonly figures: object | null
}
