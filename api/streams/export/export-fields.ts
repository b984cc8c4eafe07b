/** The columns of an export: what a decision has, by the names that it has everywhere. */
import { withoutSpace } from '../../../core/json/without-space.ts'
import type { ExportedRow } from './select-exported.ts'

export const exportFields = [
  ...(['decision_id', 'received_at', 'stored_at', 'input', 'output', 'agent_id'] as const),
  ...(['session_id', 'domain', 'metadata', 'input_tokens', 'output_tokens'] as const),
  ...(['sdk_version', 'evaluation'] as const)
] as const

export type ExportField = (typeof exportFields)[number]

/** Fields whose texts are JSON as it was sent: they are never parsed and written again. */
type JsonTextField = 'input' | 'metadata'

export function isJsonText(field: ExportField): field is JsonTextField {
  return field === 'input' || field === 'metadata'
}

const name = `(${exportFields.join('|')})`
/** A list of them, such as `decision_id,output`. */
export const fieldsExpression = `^${name}(,${name})*$`

/** Each once, in the order in which they are asked for; all of them when nothing is said. */
export function fieldsOf(text: string | undefined): readonly ExportField[] {
  return text === undefined ? exportFields : ([...new Set(text.split(','))] as ExportField[])
}

/** `scores` is JSON text. */
export function evaluationOf({ state }: ExportedRow) {
  const { status = 'pending', verdict = 'none', scores = '{}' } = state ?? {}
  return { status, verdict, scores: withoutSpace(scores) }
}
