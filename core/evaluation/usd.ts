/** Converts between US dollars, which the API uses, and billionths of a dollar, which can be summed
 * exactly.
 */

const nanosPerUsd = 1e9

/** Maximum amount in US dollars. In billionths, it is still an exact integer. */
export const usdMax = 1_000_000

export function nanoUsdOf(usd: number): number {
  return Math.round(usd * nanosPerUsd)
}

export function usdOf(nanoUsd: number): number {
  return Math.round(nanoUsd) / nanosPerUsd
}

/** Adds two amounts without the rounding errors of binary fractions. */
export function addUsd(left: number, right: number): number {
  return usdOf(nanoUsdOf(left) + nanoUsdOf(right))
}
