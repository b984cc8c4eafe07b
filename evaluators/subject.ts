/** A decision as evaluators look at it: what several of them need is prepared once, on demand. */
import type { Decision } from '../core/decision/decision.ts'
import { inputTextOf } from './text/input-text.ts'
import type { InputText } from './text/input-text.ts'
import { isJsonAskedFor } from './text/json-request.ts'
import { jsonTextOf } from './text/json-text.ts'
import { hasEscapedName, jsonValueOf } from './text/json-value.ts'
import type { JsonText } from './text/json-text.ts'
import { phrasesOf, wordsMax, wordsOf } from './text/words.ts'

/** Most of a text that an evaluator reads word by word; an output may have megabytes. */
export const textCharactersMax = 32_768
/** Largest input that is parsed; of a larger one its JSON text is read instead. */
export const inputCharactersMax = 262_144

export interface Subject {
  readonly decision: Decision
  /** The whole output, without surrounding white space. */
  readonly output: string
  /** The first `textCharactersMax` of it, in lower case. */
  readonly lowerOutput: () => string
  /** The words of `lowerOutput`, each as a hash. */
  readonly outputWords: () => readonly number[]
  /** Whether the output has more words than those. */
  readonly hasMoreWords: () => boolean
  /** The phrases of `outputWords`, each as a hash. */
  readonly outputPhrases: () => readonly number[]
  /** What the output is when it is read as JSON. */
  readonly outputJson: () => JsonText
  /** The parsed input, or undefined when it is too large. */
  readonly inputValue: () => unknown
  readonly inputText: () => InputText
  /** Whether the prompt, its parameters or the domain ask for JSON. */
  readonly isJsonAskedFor: () => boolean
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
    isJsonAskedFor: once(() => isJsonAskedFor(decision, inputValue(), inputText()))
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
