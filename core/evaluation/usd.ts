/** Money: callers say US dollars, and sums are kept in billionths of them, which are exact. */

const nanosPerUsd = 1e9

/** The largest amount whose billionths are still exact. */
export const usdMax = 1_000_000

export function nanoUsdOf(usd: number): number {
  return Math.round(usd * nanosPerUsd)
}

export function usdOf(nanoUsd: number): number {
  return Math.round(nanoUsd) / nanosPerUsd
}

/** Without the digits that adding fractions leaves behind. */
export function addUsd(left: number, right: number): number {
  return usdOf(nanoUsdOf(left) + nanoUsdOf(right))
}
