/** Lists the errors nested in an error from @platformatic/kafka. The library nests one error per
 * attempt.
 */

export interface NestedError {
  readonly errors?: readonly this[]
}

/** Returns the error and all errors nested in it, outermost first. */
export function allErrorsIn<T extends NestedError>(error: T): T[] {
  const inside: readonly T[] = error.errors ?? []
  return [error, ...inside.flatMap((each) => allErrorsIn(each))]
}
