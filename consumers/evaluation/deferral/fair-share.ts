/** Max-min fair share: the most that each may take of a total; small demands are met in full. */

/**
 * A demand below an even part leaves the rest of that part to the others.
 * @returns Infinity when the total covers all demands
 */
export function fairShare(demands: readonly number[], total: number): number {
  let left = total
  for (const [index, demand] of demands.toSorted((one, other) => one - other).entries()) {
    const even = left / (demands.length - index)
    if (demand > even) return even
    left -= demand
  }
  return Infinity
}
