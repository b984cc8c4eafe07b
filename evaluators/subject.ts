/** Creates the subject of evaluators: a decision with shared values that are computed once, on
 * demand.
 */
import type { Decision } from '../core/decision/decision.ts'
import { inputTextOf } from './text/input-text.ts'
import type { InputText } from './text/input-text.ts'
import { isJsonRequested } from './text/json-request.ts'
import { jsonTextOf } from './text/json-text.ts'
import { hasEscapedName, jsonValueOf } from './text/json-value.ts'
import type { JsonText } from './text/json-text.ts'
import { phrasesOf, wordsMax, wordsOf } from './text/words.ts'

/**
 * Maximum number of characters of a text that are read word by word, because outputs can be several
 * megabytes long.
 */
export const textCharactersMax = 32_768
/** Maximum number of characters of an input that is parsed. A larger input is read as JSON text. */
export const inputCharactersMax = 262_144

export interface Subject {
  readonly decision: Decision
  /** The whole output, without surrounding whitespace. */
  readonly output: string
  /** The first `textCharactersMax` characters of the output in lower case. */
  readonly lowerOutput: () => string
  /** Hashes of the words of `lowerOutput`. */
  readonly outputWords: () => readonly number[]
  /** Whether the output may have more words than `outputWords`. */
  readonly hasMoreWords: () => boolean
  /** Hashes of the phrases of `outputWords`. */
  readonly outputPhrases: () => readonly number[]
  /** Whether the output is JSON. */
  readonly outputJson: () => JsonText
  /** The parsed input, or undefined if it is too large or cannot be parsed. */
  readonly inputValue: () => unknown
  readonly inputText: () => InputText
  /** Whether the prompt, its parameters or the domain ask for JSON. */
  readonly isJsonRequested: () => boolean
}

export function subjectOf(decision: Decision): Subject {
  const output = decision.output.trim()
  const lowerOutput = once(() => output.slice(0, textCharactersMax).toLowerCase())
  const outputWords = once(() => wordsOf(lowerOutput()))
  const inputValue = once(() => valueOf(decision.input))
  const inputText = once(() => {
    const value = inputValue()
    const text = value === undefined ? decision.input : value
    return inputTextOf(text, textCharactersMax)
  })
  return {
    decision,
    output,
    lowerOutput,
    outputWords,
    hasMoreWords: () => output.length > textCharactersMax || outputWords().length === wordsMax,
    outputPhrases: once(() => phrasesOf(outputWords())),
    outputJson: once(() => jsonTextOf(output)),
    inputValue,
    inputText,
    isJsonRequested: once(() => isJsonRequested(decision, inputValue(), inputText()))
  }
}

function valueOf(json: string): unknown {
  if (json.length > inputCharactersMax) return undefined
  try {
    const value: unknown = JSON.parse(json)
    return hasEscapedName(json) ? jsonValueOf(json) : value
  } catch {
    return undefined
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
