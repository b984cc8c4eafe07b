/** fairShare: the most that each may have of a total, so that those who want little have all. */

/**
 * Max-min fairness: whoever wants less than an even part leaves the rest to the others.
 * @returns Infinity when there is enough for all demands
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
