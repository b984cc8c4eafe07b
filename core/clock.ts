/** Clock: provides the current time through an interface that tests can replace. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}
