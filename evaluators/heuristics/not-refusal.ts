/** Check `not_refusal`: fails if the output begins by declining the request. */
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { refusalCue, refusalPhrases } from './refusal-phrases.ts'

/**
 * Number of characters searched. A refusal comes early; the same words further down usually belong
 * to an answer.
 */
const openingCharacters = 320

export const notRefusal = Object.freeze<Evaluator>({
  name: 'not_refusal',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ output, lowerOutput }) => {
    if (output.length === 0) return notApplicable
    const opening = openingOf(lowerOutput())
    const phrase = refusalCue.test(opening) ? phraseIn(plain(opening)) : undefined
    if (phrase === undefined)
      return verdict(true, 'The output does not begin by declining the request.')
    return verdict(false, `The output begins by declining the request, in ${phrase.language}.`)
  }
})

const thought = '<think>'
const thoughtEnd = '</think>'

/** Returns the beginning of the answer, after the model's `<think>` part. */
function openingOf(lowerOutput: string): string {
  const end = lowerOutput.startsWith(thought) ? lowerOutput.indexOf(thoughtEnd) : -1
  const start = end < 0 ? 0 : end + thoughtEnd.length
  return lowerOutput.slice(start, start + openingCharacters)
}

/** Normalizes apostrophes and whitespace. */
function plain(opening: string): string {
  return opening.replaceAll(/[’‘ʼ´]/g, "'").replaceAll(/\s{1,320}/g, ' ')
}

function phraseIn(opening: string) {
  return refusalPhrases.find(({ pattern }) => pattern.test(opening))
}
