/** Check `json_valid`: fails if JSON was requested and the output is not JSON. */
import { contentTooLarge, notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Evaluator, Finding, Skipped } from '../evaluator.ts'
import type { Subject } from '../subject.ts'
import { isJsonBrokenOff, jsonCharactersMax, jsonTextOf } from '../text/json-text.ts'

/**
 * Opening fence of an output that is a single code block. Such an output is accepted, because most
 * callers unwrap it.
 */
const fenceStart = /^```(?:json)?[ \t]{0,8}\r?\n/i
const fenceEnd = /\r?\n[ \t]{0,8}```$/

export const jsonValid = Object.freeze<Evaluator>({
  name: 'json_valid',
  kind: 'heuristic',
  version: 1,
  evaluate: (subject) => (subject.isJsonRequested() ? judge(subject) : notApplicable)
})

/** Evaluates outputs that must be JSON even if the request does not ask for it. */
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
  if (isJsonBrokenOff(json)) return verdict(false, 'JSON was requested, but the output is cut off.')
  if (/^[{[]/.test(json))
    return verdict(false, 'JSON was requested, but the output has a syntax error.')
  if (/[{[]/.test(output)) {
    return verdict(false, 'JSON was requested, but the output contains other text.')
  }
  return verdict(false, 'JSON was requested, but the output is plain text.')
}
