/** Check `complete`: fails if the output is visibly truncated. */
import { areFencesBalanced } from '../text/code-fences.ts'
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { isJsonBrokenOff, jsonCharactersMax } from '../text/json-text.ts'
import type { Subject } from '../subject.ts'
import { tokenLimitReachedBy } from './token-limit.ts'

/**
 * Maximum length of an output that is checked as a whole. Only the end of longer outputs is
 * checked.
 */
const wholeCharactersMax = jsonCharactersMax
const tailCharacters = 200
/**
 * Minimum number of words in a line that counts as a sentence. Shorter lines can be titles, list
 * items or table cells.
 */
const sentenceWordsMin = 5
/** Minimum length of prose. Shorter answers may end without punctuation, even at a token limit. */
const proseCharactersMin = 120

/** Words that cannot end a sentence. */
const danglingWords = [
  'the|an|and|or|because|your|their|our|whose|every',
  'und|oder|weil|dass|eine|einen|einem|zum|zur|vom|sowie',
  'et|ou|des|du|aux|parce|y|del|los|porque'
]
const danglingWord = new RegExp(` (?:${danglingWords.join('|')})$`)
const danglingMark = /[\p{L}\p{N}"')],$|[\p{L}\p{N}\s][([{]$/u
/** Last characters that do not complete a sentence, list, table or block. */
const bareEnd = /[\p{L}\p{N},;:([{/–-]$/u

export const outputComplete = Object.freeze<Evaluator>({
  name: 'output_complete',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => {
    const { output } = subject
    if (output.length === 0) return notApplicable
    const problem = problemOf(subject)
    if (problem !== null) return verdict(false, problem)
    if (output.length <= wholeCharactersMax)
      return verdict(true, 'The output is not visibly cut off.')
    const cap = wholeCharactersMax.toLocaleString('en-US')
    return verdict(
      true,
      `The output is not visibly cut off; above ${cap} characters only the end is checked.`
    )
  }
})

function problemOf(subject: Subject): string | null {
  const { output, decision } = subject
  if (isStoppedByModel(decision.metadata)) {
    return 'The metadata reports that the model stopped at its token limit.'
  }
  if (isJsonCut(subject)) return 'The output is JSON that is cut off.'
  if (output.length <= wholeCharactersMax && !areFencesBalanced(output)) {
    return 'The output opens a code block and never closes it.'
  }
  const tail = output.slice(-tailCharacters)
  if (isMidSentence(tail)) return 'The output ends in the middle of a sentence.'
  return limitProblemOf(subject, tail)
}

function isJsonCut({ output, outputJson }: Subject): boolean {
  return /^[{[]/.test(output) && outputJson() === 'invalid' && isJsonBrokenOff(output)
}

function isMidSentence(tail: string): boolean {
  if (!danglingWord.test(tail) && !danglingMark.test(tail)) return false
  const line = tail.slice(tail.lastIndexOf('\n') + 1)
  return line.split(' ').length >= sentenceWordsMin
}

/**
 * Returns a problem if the output stops at a token limit without closing punctuation. With
 * punctuation, reaching the limit may be a coincidence.
 */
function limitProblemOf({ decision, output }: Subject, tail: string): string | null {
  if (output.length < proseCharactersMin || !bareEnd.test(tail)) return null
  const limit = tokenLimitReachedBy(decision)
  if (limit === null) return null
  return `The output ends without closing punctuation after exactly ${limit} tokens.`
}

const finishCharactersMax = 16_384
const stopped = new RegExp(
  String.raw`"(?:finish|stop|done)_?[rR]eason"\s{0,4}:\s{0,4}` +
    '"(?:length|model_length|max_?(?:output_)?tokens|MAX_TOKENS)"'
)

function isStoppedByModel(metadata: string | null): boolean {
  return metadata !== null && stopped.test(metadata.slice(0, finishCharactersMax))
}
