/** Check `no_repetition`: fails if the output is stuck in a loop. */
import { notApplicable, share } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { longestLoop } from './loops.ts'
import { distinctOf } from '../text/phrase-set.ts'
import { lastWordsOf, phraseWords, phrasesOf, wordsMax } from '../text/words.ts'

/** Limits for a loop of words. Lists, tables and refrains stay below them. */
const wordLoop = { periodMax: 200, lengthMin: 40 }
/** Limits for a loop of characters in a text without words. Horizontal rules are shorter. */
const characterLoop = { periodMax: 16, lengthMin: 400 }
const loopCharactersMax = 8192
const endOfOutput = `the last ${wordsMax.toLocaleString('en-US')} words`
/**
 * A loop of `lengthMin` words repeats at least this many phrases, so texts with fewer repeated
 * phrases are not searched for loops.
 */
const repeatedPhrasesMin = 20
/** Minimum share of distinct phrases. A text below it repeats itself, even if the order varies. */
const distinctShareMin = 0.25
const phrasesMin = 100

export const noRepetition = Object.freeze<Evaluator>({
  name: 'no_repetition',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => {
    const { output, outputJson } = subject
    // Skips valid JSON, because names repeat in data and a loop would have left the JSON
    // incomplete.
    if (output.length < wordLoop.lengthMin || outputJson() === 'valid') return notApplicable
    // A loop continues until the end, so only the end of a long output is checked.
    const isCut = subject.hasMoreWords()
    const words = isCut ? lastWordsOf(output) : subject.outputWords()
    const phrases = isCut ? phrasesOf(words) : subject.outputPhrases()
    const distinct = distinctOf(phrases)
    const part = phrases.length === 0 ? 1 : distinct / phrases.length
    const problem = problemOf(output, words, phrases.length - distinct) ?? circleOf(phrases, part)
    const looked = isCut ? ` Only ${endOfOutput} were checked.` : ''
    const reason = problem ?? `${Math.round(part * 100)} % of the output's phrases are distinct.`
    return share(part, problem === null, reason + looked)
  }
})

function problemOf(
  output: string,
  words: readonly number[],
  repeatedPhrases: number
): string | null {
  if (repeatedPhrases >= repeatedPhrasesMin) {
    const loop = longestLoop(words, wordLoop)
    if (loop !== null) {
      const times = Math.floor(loop.length / loop.period)
      return `The output repeats the same ${wordsText(loop.period)} ${times} times in a row.`
    }
  }
  const charactersPerWordMax = 40
  if (output.length < words.length * charactersPerWordMax) return null
  const loop = longestLoop(codesOf(output.slice(-loopCharactersMax)), characterLoop)
  if (loop === null) return null
  return `The output repeats the same ${loop.period} characters over a length of ${loop.length}.`
}

function wordsText(count: number): string {
  return count === 1 ? '1 word' : `${count} words`
}

function circleOf(phrases: readonly number[], part: number): string | null {
  if (phrases.length < phrasesMin || part >= distinctShareMin) return null
  const percent = Math.round(part * 100)
  return `Only ${percent} % of the output's phrases of ${phraseWords} words are distinct.`
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}
