/** Computes a max-min fair share: small demands are met in full, and the others divide the
 * remainder evenly.
 */

/** Returns the limit that applies to each demand, or Infinity if `total` covers all demands. */
export function fairShare(demands: readonly number[], total: number): number {
  let left = total
  for (const [index, demand] of demands.toSorted((one, other) => one - other).entries()) {
    const even = left / (demands.length - index)
    if (demand > even) return even
    left -= demand
  }
  return Infinity
}
