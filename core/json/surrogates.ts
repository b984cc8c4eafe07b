/** Finds escaped unpaired surrogates, which have no UTF-8 form and cannot be stored. */

import { runSteps, stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

/**
 * Prefilters, the faster one first. Only a text that matches both can contain an escaped surrogate.
 */
const unicodeEscape = '\\u'
const surrogateEscape = /\\u[dD][89a-fA-F]/

/** Checks whether JSON text contains a `\uD800`–`\uDFFF` escape that is not half of a pair. */
export function hasLoneSurrogate(text: string): boolean {
  if (!text.includes(unicodeEscape) || !surrogateEscape.test(text)) return false
  return runSteps(walkEscapes(text))
}

/** Works like `hasLoneSurrogate`, but in steps. */
export function* loneSurrogateSteps(text: string): Steps<boolean> {
  if (!text.includes(unicodeEscape) || !surrogateEscape.test(text)) return false
  return yield* walkEscapes(text)
}

function* walkEscapes(text: string): Steps<boolean> {
  let pauseAt = stepCharacters
  let at = text.indexOf('\\')
  while (at >= 0) {
    if (at >= pauseAt) {
      pauseAt = at + stepCharacters
      yield
    }
    const unit = escapedUnitAt(text, at)
    if (isLow(unit)) return true
    if (isHigh(unit)) {
      if (!isLow(escapedUnitAt(text, at + 6))) return true
      at += 6
    }
    at = text.indexOf('\\', at + (unit === null ? 2 : 6))
  }
  return false
}

/** Returns the UTF-16 unit of the `\uXXXX` escape at `at`, or null. */
function escapedUnitAt(text: string, at: number): number | null {
  if (text.charCodeAt(at) !== 92 || text.charCodeAt(at + 1) !== 117) return null
  return Number.parseInt(text.slice(at + 2, at + 6), 16)
}

function isHigh(unit: number | null): boolean {
  return unit !== null && unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number | null): boolean {
  return unit !== null && unit >= 0xdc00 && unit <= 0xdfff
}
