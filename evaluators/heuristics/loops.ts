/** Finds loops: sequences that repeat without interruption. */

interface Loop {
  /** Number of units in the repeated sequence. */
  readonly period: number
  /** Number of units in the whole loop. */
  readonly length: number
}

interface LoopLimits {
  /**
   * Maximum length of the repeated sequence. Running time is proportional to this limit times the
   * number of units.
   */
  readonly periodMax: number
  /** Minimum number of units in a loop. */
  readonly lengthMin: number
}

/**
 * Minimum length of a sequence that forms a loop after three occurrences. A shorter sequence needs
 * four.
 */
const longPeriod = 20

/**
 * Returns the longest loop, or null. If several loops have this length, returns the one with the
 * shortest sequence.
 */
export function longestLoop(units: ArrayLike<number>, limits: LoopLimits): Loop | null {
  let longest: Loop | null = null
  for (let period = 1; period <= limits.periodMax && period < units.length; period++) {
    const lengthMin = Math.max(limits.lengthMin, period * (period >= longPeriod ? 3 : 4))
    const length = longestOfPeriod(units, period, lengthMin)
    if (length > (longest?.length ?? 0)) longest = { period, length }
  }
  return longest
}

/** Returns the length of the longest loop with this period, or 0 if none has `lengthMin` units. */
function longestOfPeriod(units: ArrayLike<number>, period: number, lengthMin: number): number {
  const runMin = lengthMin - period
  let longest = 0
  // Checks only every `runMin`-th position, because every run that is long enough contains one of
  // them.
  for (let at = period + runMin - 1; at < units.length; at += runMin) {
    let start = at
    while (start >= period && units[start] === units[start - period]) start--
    if (start === at) continue
    while (at + 1 < units.length && units[at + 1] === units[at + 1 - period]) at++
    if (at - start > longest) longest = at - start
  }
  return longest < runMin ? 0 : longest + period
}
