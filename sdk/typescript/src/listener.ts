/** Listener for the result of an observed function. */

/**
 * Exactly one of `value`, `end` and `fail` is called. `chunk` may be called before `end` or `fail`.
 */
export interface Listener {
  /** Called when the function returns or resolves with a value that is not a stream. */
  value(value: unknown): void
  chunk(chunk: unknown): void
  /** Called when the stream ends or its consumer stops early. */
  end(): void
  fail(error: unknown): void
}
