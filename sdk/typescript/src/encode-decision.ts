/** Encodes a decision as JSON and notes each value that had to be changed. */
import { noteChange, notesMax, startEncoding, tooLarge, writeText } from './encoding.ts'
import type { Encoding } from './encoding.ts'
import { writeValue } from './encode-value.ts'
import { isPlaceholder, keysOf, readMember, simplify } from './simplify.ts'
import { sdkVersion } from './sdk-version.ts'
import { writeTextField } from './text-field.ts'
import type { FieldText, TextFieldName } from './text-field.ts'

/** Fields as set by the caller, before validation. */
export interface RawDecision {
  readonly decisionId: string
  readonly names: Readonly<Record<TextFieldName, FieldText>>
  readonly input: unknown
  readonly output: unknown
  readonly inputTokens: unknown
  readonly outputTokens: unknown
  /** Layers to merge, outermost first. */
  readonly metadata: readonly unknown[]
}

export interface EncodedDecision {
  readonly decisionId: string
  readonly text: string
  /** Number of values that had to be changed. */
  readonly changes: number
  readonly agentId: string | undefined
}

export interface EncodeLimits {
  readonly maxLength: number
}

/** Thrown if a required field is missing. */
export const invalid = new Error('a decision requires input and output')

/** @throws `invalid` or `tooLarge` */
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

/** Writes a string as it is. Any other value is converted to JSON text first. */
function writeOutput(encoding: Encoding, output: unknown): void {
  writeText(encoding, typeof output === 'string' ? output : textOf(encoding, output))
}

/** Returns the JSON of a value without adding it to the text written so far. */
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

/** Writes the metadata, which must be the last field because it lists all changes. */
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
 * Appends the changes to the caller's `sdk_changes`, or replaces a value that is not a list of
 * strings. If the caller set `sdk_changes`, the metadata is encoded again with that member omitted.
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

/**
 * Returns the caller's `sdk_changes`: empty if it is not a list of strings, undefined if it is
 * missing.
 */
function changesIn(text: string): readonly string[] | undefined {
  const { sdk_changes: earlier } = JSON.parse(text) as { readonly sdk_changes?: unknown }
  if (earlier === undefined) return undefined
  const isOurs = Array.isArray(earlier) && earlier.every((item) => typeof item === 'string')
  return isOurs ? earlier : []
}

/**
 * Merges the layers into one Map; a single layer is returned unchanged. When merging, notes
 * `wrong_type` if the innermost layer is not an object.
 */
function mergeLayers(encoding: Encoding, layers: readonly unknown[]): unknown {
  const there = layers.filter((layer) => layer !== undefined && layer !== null)
  if (there.length <= 1) return there[0]
  if (membersOf(there.at(-1), encoding.maxLength) === undefined) noteChange(encoding, 'wrong_type')
  return mergeMembers(encoding, there)
}

/** Merges into a Map, so that a member named `toJSON` is treated as data. */
function mergeMembers({ maxLength }: Encoding, layers: readonly unknown[]): Map<string, unknown> {
  const merged = new Map<string, unknown>()
  for (const layer of layers) {
    for (const [key, value] of membersOf(layer, maxLength) ?? []) merged.set(key, value)
  }
  return merged
}

/** Returns the members of a layer as they would be encoded; undefined if it has none. */
function membersOf(layer: unknown, maxLength: number): Iterable<[string, unknown]> | undefined {
  if (typeof layer !== 'object' || layer === null) return undefined
  const simple = simplify(layer, maxLength)
  if (typeof simple !== 'object' || simple === null) return undefined
  if (isPlaceholder(simple) || Array.isArray(simple)) return undefined
  if (simple instanceof Map) return simple as Map<string, unknown>
  const keys = keysOf(simple)
  return isPlaceholder(keys) ? undefined : keys.map((key) => [key, readMember(simple, key)])
}
