/** Customers' regular expressions: matches any pattern in time linear in the length of the text. */
import { RE2JS, RE2JSException } from 're2js'

export const patternCharactersMax = 1000
/**
 * Maximum number of instructions of a compiled pattern. Each instruction adds to the cost per
 * character.
 */
const instructionsMax = 2000
/**
 * Maximum memory for the states of one pattern. The library's default of 8 MiB would add up over
 * many patterns.
 */
const stateBytesMax = 1_048_576

export interface LinearRegex {
  /** Number of instructions of the compiled pattern. */
  readonly size: number
  test(text: string): boolean
  /** Returns the position of the first match in UTF-16 code units, or null. */
  find(text: string): { readonly start: number; readonly end: number } | null
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const flagValues: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Accepted without effect, because patterns always match code points.
  u: 0
}

/**
 * @param flags any of `i`, `m`, `s`; `u` is accepted without effect
 * @throws {PatternError} if the pattern or a flag is invalid, or the compiled pattern is too large
 */
export function compileLinearRegex(pattern: string, flags = ''): LinearRegex {
  let compiled = compile(pattern, flags)
  let isRunning = false

  /**
   * Compiles the pattern again if the last run was canceled, because its caches may be
   * inconsistent.
   */
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
    throw new PatternError('is too large once its repetitions are expanded; use fewer of them')
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

/** Compiles a pattern in JavaScript syntax, for example `\u0041`, `\cA` or `(?<name>…)`. */
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

/**
 * Describes the error. Lookaround and back references have their own messages, because users miss
 * them most. Neither is possible in linear time.
 */
function sentenceOf(message: string, pattern: string): string {
  if (lookaround.test(pattern)) return 'must not use lookahead or lookbehind (RE2 syntax)'
  if (backReference.test(pattern)) return 'must not use back references (RE2 syntax)'
  const problem = message.replace('error parsing regexp: ', '')
  return `is not a valid regular expression in RE2 syntax: ${problem}`
}
