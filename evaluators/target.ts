/** What an evaluator looks at: the output, the input, or a member of the metadata. */
import type { Violation } from '../core/problem.ts'
import { contentMissing } from './evaluator.ts'
import type { Skipped } from './evaluator.ts'
import type { Subject } from './subject.ts'
import { memberTextOf, plainTextOf } from './text/member-text.ts'

/** `output`, `input`, or `metadata.` and the path of a member. */
export const targetPattern = '^(output|input|metadata[.].+)$'
const targetCharactersMax = 200
const metadataPrefix = 'metadata.'

export const targetSchema = {
  type: 'string',
  pattern: targetPattern,
  maxLength: targetCharactersMax,
  default: 'output'
} as const

export const targetRule = 'must be output, input, or metadata. and the name of a member'

/** JSON pointer of a target within a decision. */
export function targetPointer(target: string): string {
  return `/${target.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`
}

/** The text of the target: of an input with a shape of its own, its texts, one to a line. */
export function targetTextOf(subject: Subject, target: string): string | Skipped {
  if (target === 'output') return subject.decision.output
  if (target === 'input') return subject.inputText().all
  const json = metadataTextOf(subject, target)
  return json === null ? contentMissing : plainTextOf(json)
}

/** The JSON text of the target; the output is taken as the JSON that it may be. */
export function targetJsonOf(subject: Subject, target: string): string | Skipped {
  if (target === 'output') return subject.output
  if (target === 'input') return subject.decision.input
  return metadataTextOf(subject, target) ?? contentMissing
}

/** Null where there is no such member, or where it is null. */
export function metadataTextOf({ decision }: Subject, target: string): string | null {
  if (decision.metadata === null) return null
  const json = memberTextOf(decision.metadata, target.slice(metadataPrefix.length))
  return json === 'null' ? null : json
}

export function targetFlaw(pointer: string): Violation {
  return { pointer, detail: targetRule }
}
