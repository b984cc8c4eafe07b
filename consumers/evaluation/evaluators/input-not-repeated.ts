/** input_not_repeated: the answer is more than the question said again. */
import { measure, notApplicable } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { shinglesOf, wordsOf } from './words.ts'

const shingleWords = 5
/** A short answer may well be words of the question. */
const shinglesMin = 8
const repeatedShareMax = 0.8

export const inputNotRepeated = Object.freeze<Evaluator>({
  name: 'input_not_repeated',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ lowerOutput, lowerInputText }) => {
    const answer = shinglesOf(wordsOf(lowerOutput), shingleWords)
    if (answer.length < shinglesMin) return notApplicable
    const question = new Set(shinglesOf(wordsOf(lowerInputText), shingleWords))
    const repeated = answer.filter((shingle) => question.has(shingle)).length / answer.length
    const percent = Math.round(repeated * 100)
    const reason = `${percent} % of the output's ${shingleWords}-word phrases stand in the input.`
    return measure(1 - repeated, repeated <= repeatedShareMax, reason)
  }
})
