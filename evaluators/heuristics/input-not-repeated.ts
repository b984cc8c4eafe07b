/** input_not_repeated: the answer is more than the question said again. */
import { notApplicable, share } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { has, phraseSetOf, shareWithin } from '../text/phrase-set.ts'
import type { PhraseSet } from '../text/phrase-set.ts'
import type { Subject } from '../subject.ts'
import { phrasesOf, wordsMax, wordsOf } from '../text/words.ts'

/** Share of the output's phrases, and of the request's, from which the one is the other. */
const repeatedShareMin = 0.8
const firstWords = `${wordsMax.toLocaleString('en-US')} words`

/**
 * Quoting, correcting or reformatting what was given is what many agents are for. An echo differs
 * from that in this: it holds the instruction too, so the first and the last phrase of the request.
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

/** Whether an output that is mostly in the input repeats the input or its request. */
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

/** Whether the output contains most of a text, with its first and last phrase. */
function isRepeated(phrases: readonly number[], said: PhraseSet): boolean {
  const first = phrases[0]
  const last = phrases.at(-1)
  if (first === undefined || last === undefined) return false
  return has(said, first) && has(said, last) && shareWithin(phrases, said) >= repeatedShareMin
}

function reasonOf(subject: Subject, isEcho: boolean, repeated: number): string {
  const percent = Math.round(repeated * 100)
  const looked = subject.hasMoreWords() ? ` of its first ${firstWords}` : ''
  const fact = `${percent} % of the output's phrases${looked} stand in the input`
  return isEcho ? `The output repeats the request: ${fact}.` : `${fact}.`
}
