/** What errors of @platformatic/kafka are made of: it wraps one in another for every try. */

export interface NestedError {
  readonly errors?: readonly this[]
}

/** The error and all that it is made of, the outermost first. */
export function allErrorsIn<T extends NestedError>(error: T): T[] {
  const inside: readonly T[] = error.errors ?? []
  return [error, ...inside.flatMap((each) => allErrorsIn(each))]
}
