/** Loops: the same stretch again and again without a break, as a model writes that cannot stop. */

export interface Loop {
  /** How many units the repeated stretch has. */
  readonly period: number
  /** How many units the loop has altogether. */
  readonly length: number
}

export interface LoopLimits {
  /** Longest stretch that is looked for; the work is this times the number of units. */
  readonly periodMax: number
  /** Shortest loop that counts. */
  readonly lengthMin: number
}

/** A long stretch said three times is a loop; a short one has to come a fourth time. */
const longPeriod = 20

/** The longest loop, or null; among equal ones that with the shortest stretch. */
export function longestLoop(units: ArrayLike<number>, limits: LoopLimits): Loop | null {
  let longest: Loop | null = null
  for (let period = 1; period <= limits.periodMax && period < units.length; period++) {
    const length = longestOfPeriod(units, period)
    const repeatsMin = period >= longPeriod ? 3 : 4
    if (length < limits.lengthMin || length < period * repeatsMin) continue
    if (longest === null || length > longest.length) longest = { period, length }
  }
  return longest
}

/** Length of the longest stretch in which every unit equals the one `period` before. */
function longestOfPeriod(units: ArrayLike<number>, period: number): number {
  let longest = 0
  let run = 0
  for (let at = period; at < units.length; at++) {
    run = units[at] === units[at - period] ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest === 0 ? 0 : longest + period
}
