/** json_valid: where JSON was asked for, JSON came back. */
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'
import type { Subject } from '../subject.ts'

/** How people ask for it in a prompt. */
const request = new RegExp(
  [
    String.raw`\b(?:respond|answer|reply|return|output|produce|generate)\b[^.!?\n]{0,60}\bjson\b`,
    String.raw`\b(?:give|write|format)\b[^.!?\n]{0,60}\bjson\b`,
    String.raw`\b(?:antworte|gib|liefere|erzeuge)\b[^.!?\n]{0,60}\bjson\b`,
    String.raw`\b(?:valid json|json object|json schema|json only|only json|as json|in json)\b`
  ].join('|')
)
/** How the APIs ask for it beside the prompt. */
const responseFormat = /"response_format"\s*:\s*(?:\{\s*"type"\s*:\s*)?"json(?:_object|_schema)?"/
const responseFormatCharactersMax = 20_000
const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/

export const jsonValid = Object.freeze<Evaluator>({
  name: 'json_valid',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => {
    if (subject.isCut || !isJsonAskedFor(subject)) return notApplicable
    const block = fenced.exec(subject.output)?.[1]
    if (!isJson(block ?? subject.output))
      return verdict(false, 'JSON was asked for; the output is none.')
    if (block !== undefined) return verdict(true, 'The output is valid JSON in a code block.')
    return verdict(true, 'The output is valid JSON.')
  }
})

function isJsonAskedFor({ lowerInputText, decision }: Subject): boolean {
  if (request.test(lowerInputText)) return true
  return responseFormat.test(decision.input.slice(0, responseFormatCharactersMax))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
