/** One decision as the JSON text that is sent: its fields, and what of them had to be changed. */
import { noteChange, notesMax, startEncoding, tooLarge, writeText } from './encoding.ts'
import type { Encoding } from './encoding.ts'
import { writeValue } from './encode-value.ts'
import { isStandIn, keysOf, readMember, simplify } from './simplify.ts'
import { sdkVersion } from './sdk-version.ts'
import { writeTextField } from './text-field.ts'
import type { FieldText, TextFieldName } from './text-field.ts'

/** Fields as they were given, of which nothing is known. */
export interface RawDecision {
  readonly decisionId: string
  readonly names: Readonly<Record<TextFieldName, FieldText>>
  readonly input: unknown
  readonly output: unknown
  readonly inputTokens: unknown
  readonly outputTokens: unknown
  /** What is merged, the outermost first. */
  readonly metadata: readonly unknown[]
}

export interface EncodedDecision {
  readonly decisionId: string
  readonly text: string
  /** How many changes were made. */
  readonly changes: number
  readonly agentId: string | undefined
}

export interface EncodeLimits {
  readonly maxLength: number
}

/** Thrown when it lacks what every decision has. */
export const invalid = new Error('a decision needs input and output')

/** Throws `invalid` or `tooLarge`. */
export function encodeDecision(decision: RawDecision, limits: EncodeLimits): EncodedDecision {
  const { decisionId, input, output, names } = decision
  if (input === undefined || output === undefined || output === null) throw invalid
  const encoding = startEncoding(limits.maxLength)
  encoding.text = `{"decision_id":"${decisionId}"`
  writeTextField(encoding, 'agent_id', names.agent_id)
  writeTextField(encoding, 'session_id', names.session_id)
  writeTextField(encoding, 'domain', names.domain)
  startField(encoding, 'input')
  writeValue(encoding, input)
  startField(encoding, 'output')
  writeOutput(encoding, output)
  writeTokens(encoding, 'input_tokens', decision.inputTokens)
  writeTokens(encoding, 'output_tokens', decision.outputTokens)
  encoding.text += `,"sdk_version":"${sdkVersion}"`
  writeMetadata(encoding, decision.metadata)
  encoding.text += '}'
  if (encoding.text.length > limits.maxLength) throw tooLarge
  const { text, changes } = encoding
  return { decisionId, text, changes, agentId: names.agent_id.text }
}

function startField(encoding: Encoding, name: string): void {
  encoding.keys[0] = name
  encoding.text += `,"${name}":`
}

/** What is no text is sent as its JSON text. */
function writeOutput(encoding: Encoding, output: unknown): void {
  writeText(encoding, typeof output === 'string' ? output : textOf(encoding, output))
}

/** The JSON text of a value, apart from what is written already. */
function textOf(encoding: Encoding, value: unknown): string {
  const { text: before } = encoding
  encoding.text = ''
  writeValue(encoding, value)
  const { text } = encoding
  encoding.text = before
  return text
}

function writeTokens(encoding: Encoding, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  const count = typeof value === 'bigint' ? Number(value) : value
  encoding.keys[0] = name
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    return noteChange(encoding, 'wrong_type')
  }
  encoding.text += `,"${name}":${count}`
}

/** The last field, so that every change is known when it is written. */
function writeMetadata(encoding: Encoding, layers: readonly unknown[]): void {
  encoding.keys[0] = 'metadata'
  const metadata = mergeLayers(encoding, layers)
  let text = metadata === undefined ? '' : textOf(encoding, metadata)
  if (text !== '' && !text.startsWith('{')) {
    noteChange(encoding, 'wrong_type')
    text = ''
  }
  if (encoding.notes.length > 0) text = withChanges(encoding, text, metadata)
  if (text !== '') encoding.text += `,"metadata":${text}`
}

/**
 * Our changes follow those that it tells of already; anything else of that name gives way to them,
 * and only a second walk can leave it out.
 */
function withChanges(encoding: Encoding, text: string, metadata: unknown): string {
  const earlier = text.includes('"sdk_changes":') ? changesIn(text) : undefined
  encoding.muted = true
  const others =
    earlier === undefined
      ? text
      : textOf(encoding, mergeMembers(encoding, [metadata, { sdk_changes: undefined }]))
  const members = others.slice(1, -1)
  const separator = members === '' ? '' : ','
  const changes = [...(earlier ?? []), ...encoding.notes].slice(0, notesMax)
  return `{${members}${separator}"sdk_changes":${JSON.stringify(changes)}}`
}

/** None where it holds something else; undefined where it is not there. */
function changesIn(text: string): readonly string[] | undefined {
  const { sdk_changes: earlier } = JSON.parse(text) as { readonly sdk_changes?: unknown }
  if (earlier === undefined) return undefined
  const isOurs = Array.isArray(earlier) && earlier.every((item) => typeof item === 'string')
  return isOurs ? earlier : []
}

/** One layer is written as it is, whatever it is; of several each must have members. */
function mergeLayers(encoding: Encoding, layers: readonly unknown[]): unknown {
  const there = layers.filter((layer) => layer !== undefined && layer !== null)
  if (there.length <= 1) return there[0]
  if (membersOf(there.at(-1), encoding.maxLength) === undefined) noteChange(encoding, 'wrong_type')
  return mergeMembers(encoding, there)
}

/** A Map, as a member called toJSON is data here like any other. */
function mergeMembers({ maxLength }: Encoding, layers: readonly unknown[]): Map<string, unknown> {
  const merged = new Map<string, unknown>()
  for (const layer of layers) {
    for (const [key, value] of membersOf(layer, maxLength) ?? []) merged.set(key, value)
  }
  return merged
}

/** What would be written of a layer; undefined when it has no members. */
function membersOf(layer: unknown, maxLength: number): Iterable<[string, unknown]> | undefined {
  if (typeof layer !== 'object' || layer === null) return undefined
  const simple = simplify(layer, maxLength)
  if (typeof simple !== 'object' || simple === null) return undefined
  if (isStandIn(simple) || Array.isArray(simple)) return undefined
  if (simple instanceof Map) return simple as Map<string, unknown>
  const keys = keysOf(simple)
  return isStandIn(keys) ? undefined : keys.map((key) => [key, readMember(simple, key)])
}
