/** no_repetition: the answer does not run in a loop. */
import { notApplicable, share } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { longestLoop } from './loops.ts'
import { distinctOf } from '../text/phrase-set.ts'
import { lastWordsOf, phraseWords, phrasesOf, wordsMax } from '../text/words.ts'

/** Lists, tables and refrains repeat a little; so many words in a row only a loop does. */
const wordLoop = { periodMax: 200, lengthMin: 40 }
/** A text without words may loop too; rulers of dashes are shorter than this. */
const characterLoop = { periodMax: 16, lengthMin: 400 }
const loopCharactersMax = 8192
const endOfOutput = `the last ${wordsMax.toLocaleString('en-US')} words`
/** A loop of `lengthMin` words leaves at least so many phrases that are not new. */
const repeatedPhrasesMin = 20
/** Below this share the text turns in a circle, even where the order changes. */
const distinctShareMin = 0.25
const phrasesMin = 100

export const noRepetition = Object.freeze<Evaluator>({
  name: 'no_repetition',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => {
    const { output, outputJson } = subject
    // In data the same names recur; valid JSON has come to its end in any case.
    if (output.length < wordLoop.lengthMin || outputJson() === 'valid') return notApplicable
    // A loop goes on to the end, so in a long output that is where it is looked for.
    const isCut = subject.hasMoreWords()
    const words = isCut ? lastWordsOf(output) : subject.outputWords()
    const phrases = isCut ? phrasesOf(words) : subject.outputPhrases()
    const distinct = distinctOf(phrases)
    const part = phrases.length === 0 ? 1 : distinct / phrases.length
    const problem = problemOf(output, words, phrases.length - distinct) ?? circleOf(phrases, part)
    const looked = isCut ? ` Only ${endOfOutput} were looked at.` : ''
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
      return `The output says the same ${wordsText(loop.period)} ${times} times in a row.`
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
