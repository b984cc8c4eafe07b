/** Regular expressions of customers: linear in the text, whatever the pattern. */
import { RE2JS, RE2JSException } from 're2js'

/** Longest pattern that is compiled. */
export const patternCharactersMax = 1000
/** Instructions of a compiled pattern: each costs something at each character of a text. */
export const instructionsMax = 2000
/** Of one pattern's states; the library's own 8 MiB would add up over many patterns. */
const stateBytesMax = 1_048_576

export interface LinearRegex {
  /** Instructions of the compiled pattern. */
  readonly size: number
  test(text: string): boolean
  /** Where the first match stands, in code units, or null. */
  find(text: string): { readonly start: number; readonly end: number } | null
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const flagValues: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Patterns are read by code points in any case.
  u: 0
}

/** @param flags some of `i`, `m`, `s` @throws {PatternError} with a sentence about what is wrong */
export function compileLinearRegex(pattern: string, flags = ''): LinearRegex {
  let compiled = compile(pattern, flags)
  let isRunning = false

  /** A run that was ended from outside may have left the caches between two states. */
  function run<T>(look: (regex: RE2JS) => T): T {
    if (isRunning) compiled = compile(pattern, flags)
    isRunning = true
    const found = look(compiled)
    isRunning = false
    return found
  }

  return {
    size: compiled.programSize(),
    test: (text) => run((regex) => regex.test(text)),
    find: (text) =>
      run((regex) => {
        const matcher = regex.matcher(text)
        return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null
      })
  }
}

function compile(pattern: string, flags: string): RE2JS {
  if (pattern.length > patternCharactersMax) {
    throw new PatternError(`must have at most ${patternCharactersMax} characters`)
  }
  const compiled = translated(pattern, flagsOf(flags))
  if (compiled.programSize() > instructionsMax) {
    throw new PatternError('is too large once its repetitions are written out; use fewer of them')
  }
  const { dfa } = compiled.re2Input
  dfa.stateBudget = stateBytesMax
  dfa.memBudget = stateBytesMax
  return compiled
}

function flagsOf(flags: string): number {
  return [...flags].reduce((all, flag) => {
    const value = flagValues[flag]
    if (value === undefined) throw new PatternError(`the flag ${flag} is not one of i, m, s`)
    return all | value
  }, 0)
}

/** Patterns as JavaScript writes them: `\u0041`, `\cA`, `(?<name>…)`. */
function translated(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), flags)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new PatternError(sentenceOf(error.message, pattern), { cause: error })
  }
}

const lookaround = /\(\?<?[=!]/
const backReference = /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/

/** What people miss first: both cannot be had in linear time. */
function sentenceOf(message: string, pattern: string): string {
  if (lookaround.test(pattern)) return 'must do without lookahead and lookbehind (RE2 syntax)'
  if (backReference.test(pattern)) return 'must do without back references (RE2 syntax)'
  const problem = message.replace('error parsing regexp: ', '')
  return `is no regular expression in RE2 syntax: ${problem}`
}
