/** A decision as evaluators look at it: what several of them need is prepared once, on demand. */
import type { Decision } from '../../core/decision.ts'

/** Longest text an evaluator looks at; an output may have megabytes, its beginning tells enough. */
export const textCharactersMax = 20_000

export interface Subject {
  readonly decision: Decision
  /** The output without surrounding white space, cut to `textCharactersMax`. */
  readonly output: string
  /** Whether `output` is only the beginning. */
  readonly isCut: boolean
  /** `output` in lower case. */
  readonly lowerOutput: string
  /** All texts within the input, joined by line breaks and cut to `textCharactersMax`. */
  readonly inputText: string
  /** `inputText` in lower case. */
  readonly lowerInputText: string
}

/** Values visited inside an input; a larger one is looked at in part. */
const nodesMax = 2000

export function subjectOf(decision: Decision): Subject {
  const trimmed = decision.output.trim()
  const output = trimmed.slice(0, textCharactersMax)
  let inputText: string | undefined
  let lowerInputText: string | undefined
  let lowerOutput: string | undefined
  return {
    decision,
    output,
    isCut: trimmed.length > textCharactersMax,
    get lowerOutput() {
      return (lowerOutput ??= output.toLowerCase())
    },
    get inputText() {
      return (inputText ??= textsOf(decision.input))
    },
    get lowerInputText() {
      return (lowerInputText ??= this.inputText.toLowerCase())
    }
  }
}

/**
 * A prompt arrives as a text, a list of messages or anything else; its strings are what was asked.
 */
function textsOf(json: string): string {
  const texts: string[] = []
  const pending: unknown[] = [JSON.parse(json)]
  let characters = 0
  for (let nodes = 0; pending.length > 0 && nodes < nodesMax; nodes++) {
    const value = pending.pop()
    if (typeof value === 'string') {
      texts.push(value)
      characters += value.length
      if (characters >= textCharactersMax) break
    } else if (typeof value === 'object' && value !== null) {
      // Reversed, so that what stands first is looked at first.
      const members: unknown[] = Object.values(value)
      pending.push(...members.slice(0, nodesMax).toReversed())
    }
  }
  return texts.join('\n').slice(0, textCharactersMax)
}
