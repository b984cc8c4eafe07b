/** Decision facets: extracts labels and reserved members from the metadata of a decision, for lists
 * and statistics.
 */
import { isUuid } from '../ids/ids.ts'
import { scanMembers, skipSpace } from '../json/json-members.ts'
import type { JsonMember } from '../json/json-members.ts'

interface DecisionFacets {
  /**
   * Up to `labelsMax` labels `name=text` for the storable strings, numbers and booleans at the top
   * level of the metadata; null if there are none.
   */
  readonly labels: readonly string[] | null
  readonly model: string | null
  readonly agent_version: string | null
  readonly trace_id: string | null
  /** In lower case; null if it is not a UUID. */
  readonly parent_decision_id: string | null
  readonly kind: string | null
  readonly name: string | null
  readonly latency_ms: number | null
  /** The member `error` as a boolean; null if it is absent or cannot be converted. */
  readonly is_error: boolean | null
}

/** Maximum length of metadata in UTF-16 units. Longer metadata is stored, but has no facets. */
export const metadataUnitsMax = 65_536
export const labelsMax = 32
export const labelNameCharactersMax = 100
export const labelTextCharactersMax = 200
const facetCharactersMax = 100
/**
 * Maximum latency in milliseconds, about thirty thousand years. The sum of many such values is
 * still finite.
 */
const latencyMsMax = 1e15

const none: DecisionFacets = Object.freeze({
  labels: null,
  model: null,
  agent_version: null,
  trace_id: null,
  parent_decision_id: null,
  kind: null,
  name: null,
  latency_ms: null,
  is_error: null
})

const openBrace = 123

/**
 * Extracts the facets. If several members have the same name, the last one counts. Scans the text
 * instead of parsing it, so that numbers keep their digits and nested values create no objects.
 * @param metadata JSON text; only an object has facets
 */
export function facetsOf(metadata: string | null): DecisionFacets {
  if (metadata === null || metadata.length > metadataUnitsMax) return none
  const start = skipSpace(metadata, 0)
  if (metadata.charCodeAt(start) !== openBrace) return none
  const { members } = scanMembers(metadata, start, Number.POSITIVE_INFINITY)
  const values = new Map(members.map((member) => [member.name, valueOf(metadata, member)]))
  return {
    labels: labelsOf(values),
    model: facetOf(values.get('model')),
    agent_version: facetOf(values.get('agent_version')),
    trace_id: facetOf(values.get('trace_id')),
    parent_decision_id: idOf(values.get('parent_decision_id')),
    kind: facetOf(values.get('kind')),
    name: facetOf(values.get('name')),
    latency_ms: latencyOf(values.get('latency_ms')),
    is_error: isErrorOf(values.get('error'))
  }
}

type Value =
  | { readonly kind: 'text' | 'number' | 'boolean'; readonly text: string }
  | { readonly kind: 'null' | 'nested' | 'unreadable' }
  | { readonly kind: 'empty' }

const kinds: Readonly<Record<string, 'boolean' | 'null' | 'nested'>> = {
  t: 'boolean',
  f: 'boolean',
  n: 'null',
  '{': 'nested',
  '[': 'nested'
}

function valueOf(metadata: string, { start, end }: JsonMember): Value {
  const first = metadata.charAt(start)
  if (first === '"') return textOf(metadata.slice(start, end))
  const kind = kinds[first] ?? 'number'
  if (kind === 'nested') return { kind: isEmpty(metadata, start, end) ? 'empty' : 'nested' }
  return kind === 'null' ? { kind } : { kind, text: metadata.slice(start, end) }
}

function isEmpty(metadata: string, start: number, end: number): boolean {
  return skipSpace(metadata, start + 1) === end - 1
}

function textOf(literal: string): Value {
  if (!literal.includes('\\')) return { kind: 'text', text: literal.slice(1, -1) }
  try {
    return { kind: 'text', text: JSON.parse(literal) as string }
  } catch {
    return { kind: 'unreadable' }
  }
}

/**
 * Returns the labels. Omits a label that is too long, because truncating it could make it equal to
 * another label.
 */
function labelsOf(values: ReadonlyMap<string, Value>): readonly string[] | null {
  const labels: string[] = []
  for (const [name, value] of values) {
    if (!('text' in value)) continue
    if (!isLabelName(name) || !isStorable(value.text, labelTextCharactersMax)) continue
    if (labels.push(`${name}=${value.text}`) === labelsMax) break
  }
  return labels.length === 0 ? null : labels
}

/**
 * Checks whether the name can be a label name. It must not contain `=`, which separates the name
 * from the text.
 */
export function isLabelName(name: string): boolean {
  return !name.includes('=') && isStorable(name, labelNameCharactersMax)
}

/**
 * Checks that the text is short enough and contains neither U+0000 nor an unpaired surrogate, which
 * a text column cannot hold.
 */
function isStorable(text: string, charactersMax: number): boolean {
  if (text.length > 2 * charactersMax) return false
  if (text.includes('\u0000') || !text.isWellFormed()) return false
  return text.length <= charactersMax || [...text].length <= charactersMax
}

function facetOf(value: Value | undefined): string | null {
  if (value?.kind !== 'text' || value.text === '') return null
  return isStorable(value.text, facetCharactersMax) ? value.text : null
}

function idOf(value: Value | undefined): string | null {
  return value?.kind === 'text' && isUuid(value.text) ? value.text.toLowerCase() : null
}

function latencyOf(value: Value | undefined): number | null {
  if (value?.kind !== 'number') return null
  const ms = Number(value.text)
  // Converts -0 to 0, because Postgres prints the two differently.
  return ms >= 0 && ms <= latencyMsMax ? Math.abs(ms) : null
}

/**
 * Converts the member `error` to a boolean. Ignores numbers, because their meaning depends on the
 * agent.
 */
function isErrorOf(value: Value | undefined): boolean | null {
  switch (value?.kind) {
    case 'text':
      return value.text !== ''
    case 'boolean':
      return value.text === 'true'
    case 'null':
    case 'empty':
      return false
    case 'nested':
      return true
    default:
      return null
  }
}
