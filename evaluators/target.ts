/** Reads the target of an evaluator: the output, the input, or a member of the metadata. */
import { contentMissing } from './evaluator.ts'
import type { Skipped } from './evaluator.ts'
import type { Subject } from './subject.ts'
import { memberTextOf, plainTextOf } from './text/member-text.ts'

/** `output`, `input`, or `metadata.` followed by the path of a member. */
export const targetPattern = '^(output|input|metadata[.].+)$'
const targetCharactersMax = 200
const metadataPrefix = 'metadata.'

export const targetSchema = {
  type: 'string',
  pattern: targetPattern,
  maxLength: targetCharactersMax,
  default: 'output'
} as const

export const targetRule = 'must be output, input, or metadata. followed by the name of a member'

/** Returns the JSON pointer of a target within a decision. */
export function targetPointer(target: string): string {
  return `/${target.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`
}

/** Returns the text of the target. Strings of a structured input are joined, one per line. */
export function targetTextOf(subject: Subject, target: string): string | Skipped {
  if (target === 'output') return subject.decision.output
  if (target === 'input') return subject.inputText().all
  const json = metadataTextOf(subject, target)
  return json === null ? contentMissing : plainTextOf(json)
}

/** Returns the target as JSON text. The output can be invalid JSON. */
export function targetJsonOf(subject: Subject, target: string): string | Skipped {
  if (target === 'output') return subject.output
  if (target === 'input') return subject.decision.input
  return metadataTextOf(subject, target) ?? contentMissing
}

/** Returns the JSON text of a metadata member, or null if the member is absent or null. */
export function metadataTextOf({ decision }: Subject, target: string): string | null {
  if (decision.metadata === null) return null
  const json = memberTextOf(decision.metadata, target.slice(metadataPrefix.length))
  return json === 'null' ? null : json
}
