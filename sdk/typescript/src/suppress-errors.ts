/** Suppresses errors in the SDK's own code, which must not disturb the host program. */

/** Returns the result of `work`, or undefined if it throws. */
export function suppressErrors<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
