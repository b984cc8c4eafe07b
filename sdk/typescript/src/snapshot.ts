/** A copy of a value that later changes of it do not reach. */

/** What cannot be copied is kept as it is. */
export function snapshot(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}
