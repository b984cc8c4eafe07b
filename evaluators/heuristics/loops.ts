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
    const lengthMin = Math.max(limits.lengthMin, period * (period >= longPeriod ? 3 : 4))
    const length = longestOfPeriod(units, period, lengthMin)
    if (length > (longest?.length ?? 0)) longest = { period, length }
  }
  return longest
}

/**
 * Length of the longest range in which every unit equals the one `period` before; 0 when none has
 * `lengthMin` units.
 */
function longestOfPeriod(units: ArrayLike<number>, period: number, lengthMin: number): number {
  const runMin = lengthMin - period
  let longest = 0
  // A run of at least `runMin` equal units covers one of every `runMin` places.
  for (let at = period + runMin - 1; at < units.length; at += runMin) {
    let start = at
    while (start >= period && units[start] === units[start - period]) start--
    if (start === at) continue
    while (at + 1 < units.length && units[at + 1] === units[at + 1 - period]) at++
    if (at - start > longest) longest = at - start
  }
  return longest < runMin ? 0 : longest + period
}
