/** no_repetition: the answer does not run in a loop. */
import { measure, notApplicable } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { shinglesOf, wordsOf } from './words.ts'

const shingleWords = 4
/** Lists and tables repeat phrases; below so many words nothing can be said. */
const shinglesMin = 30
const distinctShareMin = 0.4

export const noRepetition = Object.freeze<Evaluator>({
  name: 'no_repetition',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ lowerOutput }) => {
    const shingles = shinglesOf(wordsOf(lowerOutput), shingleWords)
    if (shingles.length < shinglesMin) return notApplicable
    const distinct = new Set(shingles).size / shingles.length
    const percent = Math.round(distinct * 100)
    const reason = `${percent} % of the output's ${shingleWords}-word phrases are distinct.`
    return measure(distinct, distinct >= distinctShareMin, reason)
  }
})
