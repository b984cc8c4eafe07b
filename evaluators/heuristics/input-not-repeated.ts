/** Check `input_not_repeated`: fails if the output repeats the request. */
import { notApplicable, share } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { has, phraseSetOf, shareWithin } from '../text/phrase-set.ts'
import type { PhraseSet } from '../text/phrase-set.ts'
import type { Subject } from '../subject.ts'
import { phrasesOf, wordsMax, wordsOf } from '../text/words.ts'

/**
 * Minimum share of the output's phrases that occur in the input, and of the request's phrases that
 * occur in the output.
 */
const repeatedShareMin = 0.8
const firstWords = `${wordsMax.toLocaleString('en-US')} words`

/**
 * Fails only if the output contains the first and the last phrase of the input, or of the request
 * within the input. Agents that quote, correct or reformat their input usually leave out the
 * instruction.
 */
export const inputNotRepeated = Object.freeze<Evaluator>({
  name: 'input_not_repeated',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => {
    const output = subject.outputPhrases()
    const { lower, lowerRequest } = subject.inputText()
    const input = phrasesOf(wordsOf(lower))
    if (output.length === 0 || input.length === 0) return notApplicable
    const repeated = shareWithin(output, phraseSetOf(input))
    const isEcho = repeated >= repeatedShareMin && isEchoOf(output, input, lowerRequest)
    return share(1 - repeated, !isEcho, reasonOf(subject, isEcho, repeated))
  }
})

/** Checks whether the output repeats the whole input or the request in it. */
function isEchoOf(
  output: readonly number[],
  input: readonly number[],
  lowerRequest: () => string
): boolean {
  const said = phraseSetOf(output)
  if (isRepeated(input, said)) return true
  const request = phrasesOf(wordsOf(lowerRequest()))
  if (!isRepeated(request, said)) return false
  return shareWithin(output, phraseSetOf(request)) >= repeatedShareMin
}

/** Checks whether the output contains most phrases of a text, including the first and the last. */
function isRepeated(phrases: readonly number[], said: PhraseSet): boolean {
  const first = phrases[0]
  const last = phrases.at(-1)
  if (first === undefined || last === undefined) return false
  return has(said, first) && has(said, last) && shareWithin(phrases, said) >= repeatedShareMin
}

function reasonOf(subject: Subject, isEcho: boolean, repeated: number): string {
  const percent = Math.round(repeated * 100)
  const looked = subject.hasMoreWords() ? ` of its first ${firstWords}` : ''
  const fact = `${percent} % of the output's phrases${looked} occur in the input`
  return isEcho ? `The output repeats the request: ${fact}.` : `${fact}.`
}
