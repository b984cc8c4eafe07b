/** Kind `regex`: checks whether a text matches a pattern. */
import {
  PatternError,
  compileLinearRegex,
  patternCharactersMax
} from '../../platform/validation/linear-regex.ts'
import type { LinearRegex } from '../../platform/validation/linear-regex.ts'
import { contentTooLarge, verdict } from '../evaluator.ts'
import type { Finding } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'
import { targetPointer, targetSchema, targetTextOf } from '../target.ts'

/** Maximum number of characters in a text to search. Longer texts are skipped. */
export const searchedCharactersMax = 262_144

/** Pattern of the flags, in which each flag occurs at most once. */
export const flagsPattern = '^(?!.*(.).*\\1)[ims]*$'

interface RegexConfig {
  readonly pattern: string
  readonly flags?: string
  readonly target?: string
  readonly must_match?: boolean
}

export const regex: Kind<RegexConfig> = {
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: patternCharactersMax },
    flags: { type: 'string', pattern: flagsPattern, default: '' },
    target: targetSchema,
    must_match: { type: 'boolean', default: true }
  },
  required: ['pattern'],
  isBounded: false,
  outputOf: () => booleanOutput,
  check({ pattern, flags }) {
    try {
      compileLinearRegex(pattern, flags)
      return []
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      return [{ pointer: '/pattern', detail: error.message }]
    }
  },
  compile({ pattern, flags, target = 'output', must_match: mustMatch = true }) {
    const compiled = compileLinearRegex(pattern, flags)
    const find = mustMatch ? findNeeded : findForbidden
    return (subject) => {
      const text = targetTextOf(subject, target)
      if (typeof text !== 'string') return text
      if (text.length > searchedCharactersMax) return contentTooLarge
      return find(compiled, text, target)
    }
  }
}

function findNeeded(pattern: LinearRegex, text: string, target: string): Finding {
  const isFound = pattern.test(text)
  return verdict(isFound, `The pattern ${isFound ? 'matches' : 'does not match'} the ${target}.`)
}

/**
 * Returns a finding with the position of the match but not its text, because the match may be
 * confidential.
 */
function findForbidden(pattern: LinearRegex, text: string, target: string): Finding {
  const found = pattern.test(text) ? pattern.find(text) : null
  if (found === null) return verdict(true, `The pattern does not match the ${target}.`)
  const reason = `The pattern matches the ${target} at character ${found.start + 1}.`
  const evidence = { path: targetPointer(target), quote: null, ...found }
  return { ...verdict(false, reason), evidence: [evidence] }
}
