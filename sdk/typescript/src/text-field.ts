/** Text fields of a decision: converts numbers to text and truncates text that is too long. */
import { noteChange, wellFormed, writeText } from './encoding.ts'
import type { ChangeKind, Encoding } from './encoding.ts'

/** Maximum length that the gateway accepts, in code points. */
export const fieldLimits = { agent_id: 255, session_id: 1000, domain: 100 } as const

export type TextFieldName = keyof typeof fieldLimits

export interface FieldText {
  /** Undefined if the field is omitted. */
  readonly text: string | undefined
  readonly changes: readonly ChangeKind[]
}

const nothing: FieldText = { text: undefined, changes: [] }

/** Returns the first value that is not null, undefined or ''. */
export function firstOf(...values: readonly unknown[]): unknown {
  return values.find((value) => value !== undefined && value !== null && value !== '')
}

export function toFieldText(name: TextFieldName, value: unknown): FieldText {
  if (value === undefined) return nothing
  const text = typeof value === 'string' ? value : harmlessText(value)
  if (text === undefined) return { text, changes: ['wrong_type'] }
  const changes: ChangeKind[] = []
  const whole = wellFormed(text)
  if (whole !== text) changes.push('surrogate')
  const cut = cutText(whole, fieldLimits[name])
  if (cut !== whole) changes.push('cut')
  return { text: cut === '' ? undefined : cut, changes }
}

export function writeTextField(encoding: Encoding, name: TextFieldName, field: FieldText): void {
  encoding.keys[0] = name
  for (const kind of field.changes) noteChange(encoding, kind)
  if (field.text === undefined) return
  encoding.text += `,"${name}":`
  writeText(encoding, field.text)
}

function harmlessText(value: unknown): string | undefined {
  const isNumber = typeof value === 'bigint' || Number.isFinite(value)
  return isNumber ? String(value) : undefined
}

/** Removes U+0000, which the gateway rejects, and truncates the text to `limit` code points. */
function cutText(text: string, limit: number): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text
  if (clean.length <= limit) return clean
  return Array.from(clean.slice(0, 2 * limit))
    .slice(0, limit)
    .join('')
}
