/** json_valid: where JSON was asked for, JSON came back. */
import { contentTooLarge, notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Evaluator, Finding, Skipped } from '../evaluator.ts'
import type { Subject } from '../subject.ts'
import { isJsonBrokenOff, jsonCharactersMax, jsonTextOf } from '../text/json-text.ts'

/** The whole output as one code block, which most callers unwrap. */
const fenceStart = /^```(?:json)?[ \t]{0,8}\r?\n/i
const fenceEnd = /\r?\n[ \t]{0,8}```$/

export const jsonValid = Object.freeze<Evaluator>({
  name: 'json_valid',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => (subject.isJsonAskedFor() ? judge(subject) : notApplicable)
})

/** Of an agent that always has to answer in JSON, whether anybody asked for it or not. */
export const alwaysJson: Evaluate = (subject) => judge(subject)

function judge({ output, outputJson }: Subject): Finding | Skipped {
  if (output.length === 0) return notApplicable
  if (output.length > jsonCharactersMax) return contentTooLarge
  if (outputJson() === 'valid') return verdict(true, 'The output is valid JSON.')
  const block = blockOf(output)
  if (block !== null && jsonTextOf(block) === 'valid') {
    return verdict(true, 'The output is valid JSON in a code block.')
  }
  return invalid(output, block ?? output)
}

function blockOf(output: string): string | null {
  const start = fenceStart.exec(output)?.[0].length
  const end = fenceEnd.exec(output.slice(-16))?.[0].length
  if (start === undefined || end === undefined || start + end > output.length) return null
  return output.slice(start, output.length - end).trim()
}

function invalid(output: string, json: string): Finding {
  if (isJsonBrokenOff(json)) return verdict(false, 'JSON was asked for; the output breaks off.')
  if (/^[{[]/.test(json))
    return verdict(false, 'JSON was asked for; the output has an error in it.')
  if (/[{[]/.test(output)) {
    return verdict(false, 'JSON was asked for; the output has other text around or instead of it.')
  }
  return verdict(false, 'JSON was asked for; the output is plain text.')
}
