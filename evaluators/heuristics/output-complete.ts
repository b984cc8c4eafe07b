/** output_complete: the answer was not cut off; it only fails what is visibly broken off. */
import { areFencesBalanced } from '../text/code-fences.ts'
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import { isJsonBrokenOff, jsonCharactersMax } from '../text/json-text.ts'
import type { Subject } from '../subject.ts'
import { tokenLimitReachedBy } from './token-limit.ts'

/** Of a longer output only the end is looked at. */
const wholeCharactersMax = jsonCharactersMax
const tailCharacters = 200
/** A shorter line may be a title, an item of a list or a cell. */
const sentenceWordsMin = 5
/** A bare end says nothing about a short answer, even at a token limit. */
const proseCharactersMin = 120

/** Words after which a sentence has to go on; none of them can end one. */
const danglingWords = [
  'the|an|and|or|because|your|their|our|whose|every',
  'und|oder|weil|dass|eine|einen|einem|zum|zur|vom|sowie',
  'et|ou|des|du|aux|parce|y|del|los|porque'
]
const danglingWord = new RegExp(` (?:${danglingWords.join('|')})$`)
const danglingMark = /[\p{L}\p{N}"')],$|[\p{L}\p{N}\s][([{]$/u
/** Nothing that ends a sentence, a list, a table or a block. */
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
      return verdict(true, 'Nothing is left open at the end.')
    const cap = wholeCharactersMax.toLocaleString('en-US')
    return verdict(
      true,
      `Nothing is left open at the end; beyond ${cap} characters only that is seen.`
    )
  }
})

function problemOf(subject: Subject): string | null {
  const { output, decision } = subject
  if (isStoppedByModel(decision.metadata)) {
    return 'The metadata says that the model stopped at its token limit.'
  }
  if (isJsonCut(subject)) return 'The output is JSON that breaks off before its end.'
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

/** A full stop at the limit may be chance: only a bare end counts. */
function limitProblemOf({ decision, output }: Subject, tail: string): string | null {
  if (output.length < proseCharactersMin || !bareEnd.test(tail)) return null
  const limit = tokenLimitReachedBy(decision)
  if (limit === null) return null
  return `The output ends without an end mark after exactly ${limit} tokens.`
}

const finishCharactersMax = 16_384
const stopped = new RegExp(
  String.raw`"(?:finish|stop|done)_?[rR]eason"\s{0,4}:\s{0,4}` +
    '"(?:length|model_length|max_?(?:output_)?tokens|MAX_TOKENS)"'
)

function isStoppedByModel(metadata: string | null): boolean {
  return metadata !== null && stopped.test(metadata.slice(0, finishCharactersMax))
}
