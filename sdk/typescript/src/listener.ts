/** Who is told of what a function gave back. */

/** Hears one of `value`, `end` and `fail`, once; `chunk` before an `end` or `fail`. */
export interface Listener {
  /** It was returned, or resolved, and is no stream. */
  value(value: unknown): void
  chunk(chunk: unknown): void
  /** The stream ended, or whoever read it left. */
  end(): void
  fail(error: unknown): void
}
