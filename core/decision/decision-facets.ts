/** What the lists and sums of decisions know of their metadata: labels, and what is reserved. */
import { scanMembers, skipSpace } from '../json/json-members.ts'
import type { JsonMember } from '../json/json-members.ts'

export interface DecisionFacets {
  /** `name=text` of the texts, numbers and booleans; null without any. */
  readonly labels: readonly string[] | null
  readonly model: string | null
  readonly agent_version: string | null
  readonly latency_ms: number | null
  /** What `error` says; null when it says nothing. */
  readonly is_error: boolean | null
}

/** UTF-16 units. What is longer is stored like any other, and nothing is taken from it. */
export const metadataUnitsMax = 65_536
export const labelsMax = 32
export const labelNameCharactersMax = 100
export const labelTextCharactersMax = 200
export const facetCharactersMax = 100
/** Thirty thousand years; a sum of many of them is still a number. */
export const latencyMsMax = 1e15

const none: DecisionFacets = Object.freeze({
  labels: null,
  model: null,
  agent_version: null,
  latency_ms: null,
  is_error: null
})

const openBrace = 123

/**
 * Of members with one name the last counts, as everywhere. It scans for the members and parses only
 * what it takes: numbers keep their digits, and what is nested costs no objects.
 * @param metadata JSON text; anything but an object has no facets
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

/** What does not fit is left out and never cut: half a text would be found by another's name. */
function labelsOf(values: ReadonlyMap<string, Value>): readonly string[] | null {
  const labels: string[] = []
  for (const [name, value] of values) {
    if (!('text' in value)) continue
    if (!isLabelName(name) || !isStorable(value.text, labelTextCharactersMax)) continue
    if (labels.push(`${name}=${value.text}`) === labelsMax) break
  }
  return labels.length === 0 ? null : labels
}

/** With `=` in it, it could not be told where the name ends. */
export function isLabelName(name: string): boolean {
  return !name.includes('=') && isStorable(name, labelNameCharactersMax)
}

/** A text column holds neither U+0000 nor half a character. */
function isStorable(text: string, charactersMax: number): boolean {
  if (text.length > 2 * charactersMax) return false
  if (text.includes('\u0000') || !text.isWellFormed()) return false
  return text.length <= charactersMax || [...text].length <= charactersMax
}

function facetOf(value: Value | undefined): string | null {
  if (value?.kind !== 'text' || value.text === '') return null
  return isStorable(value.text, facetCharactersMax) ? value.text : null
}

function latencyOf(value: Value | undefined): number | null {
  if (value?.kind !== 'number') return null
  const ms = Number(value.text)
  // Not -0, which is another text in a store.
  return ms >= 0 && ms <= latencyMsMax ? Math.abs(ms) : null
}

/** A number says nothing that could be read without knowing the agent. */
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
