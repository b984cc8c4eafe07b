/** What is done for the record never disturbs what is recorded. */

/** What `work` answers, or undefined when it throws. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
