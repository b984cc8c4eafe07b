/** Cuts a decision out of the text of a response. The payload is never parsed, because parsing can
 * change numbers and the order of keys.
 */
import { scanMembers } from '../../../core/json/json-members.ts'
import type { DecisionFields } from '../api/wire.ts'

const payloadNames = ['input', 'output', 'metadata'] as const
export type PayloadName = (typeof payloadNames)[number]

export interface DecisionParts {
  /** The whole response. */
  readonly text: string
  readonly fields: DecisionFields
  /** JSON text as it was sent. */
  readonly payload: Readonly<Record<PayloadName, string>>
}

/** Far above the 64 levels that the gateway accepts. */
const depthMax = 1000

export function readDecisionText(text: string): DecisionParts {
  const { members } = scanMembers(text, text.indexOf('{'), depthMax)
  const slices = new Map(members.map(({ name, start, end }) => [name, text.slice(start, end)]))
  const isPayload = (name: string): boolean => payloadNames.some((each) => each === name)
  const fields = [...slices].filter(([name]) => !isPayload(name))
  const parsed = fields.map(([name, slice]) => [name, JSON.parse(slice) as unknown])
  const sliceOf = (name: PayloadName): string => slices.get(name) ?? 'null'
  return {
    text,
    fields: Object.fromEntries(parsed) as DecisionFields,
    payload: { input: sliceOf('input'), output: sliceOf('output'), metadata: sliceOf('metadata') }
  }
}
