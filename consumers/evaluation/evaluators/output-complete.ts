/** output_complete: the answer was not cut off in the middle. */
import { syntaxErrorAt } from '../../../core/json-syntax.ts'
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluator, Finding } from '../evaluator.ts'

const nothingOpen = 'Nothing is left open at the end.'
const jsonDepthMax = 64
/** A sentence may end without a stop; an answer this long hardly ever ends on a bare word. */
const proseCharactersMin = 200
const danglingEnd =
  /(?:[,;:([{]|\b(?:and|or|the|a|an|of|to|und|oder|der|die|das|et|ou|le|la|de|y|o|el))$/i
/** Token limits people set; an output of exactly so many was most likely stopped there. */
const usualLimits = new Set([
  64, 100, 128, 200, 256, 300, 500, 512, 1000, 1024, 2000, 2048, 4000, 4096, 8000, 8192, 16384
])

/** Conservative: it only fails what is visibly broken off. */
export const outputComplete = Object.freeze<Evaluator>({
  name: 'output_complete',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ output, isCut, decision }) => {
    if (output.length === 0 || isCut) return notApplicable
    if (fencesOf(output) % 2 === 1)
      return verdict(false, 'A code block is opened and never closed.')
    if (output.startsWith('{') || output.startsWith('[')) return jsonFinding(output)
    return proseFinding(output, decision.output_tokens ?? 0)
  }
})

function proseFinding(output: string, outputTokens: number): Finding {
  if (danglingEnd.test(output))
    return verdict(false, 'The output ends in the middle of a sentence.')
  const endsOnWord = output.length >= proseCharactersMin && /[\p{L}\p{N}]$/u.test(output)
  if (endsOnWord && usualLimits.has(outputTokens)) {
    return verdict(false, `The output ends on a bare word after exactly ${outputTokens} tokens.`)
  }
  return verdict(true, nothingOpen)
}

/** JSON that is wrong somewhere else is another evaluator's; here only its end counts. */
function jsonFinding(output: string): Finding {
  const at = syntaxErrorAt(output, jsonDepthMax)
  if (at !== null && at >= output.length)
    return verdict(false, 'The JSON of the output breaks off.')
  return verdict(true, nothingOpen)
}

function fencesOf(text: string): number {
  return text.match(/^\s{0,3}```/gm)?.length ?? 0
}
