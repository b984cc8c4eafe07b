/** Detects whether the prompt, parameters or domain of a decision request JSON. */
import type { Decision } from '../../core/decision/decision.ts'
import type { InputText } from './input-text.ts'
import { jsonRequest, otherMeaning } from './json-request-patterns.ts'

/** Maximum number of characters checked before a match, within the same sentence. */
const sentenceCharactersMax = 200

/** Members that set the response format in common APIs. */
const formatNames = ['response_format', 'responseFormat', 'response_mime_type', 'responseMimeType']
const schemaNames = ['json_schema', 'response_schema', 'responseSchema', 'output_schema']
const jsonType = /json|^(?:object|array)$/
const jsonDomain = /(?:^|[^a-z])json(?:[^a-z]|$)/i
const metadataCharactersMax = 16_384

export function isJsonRequested(decision: Decision, input: unknown, text: InputText): boolean {
  if (decision.domain !== null && jsonDomain.test(decision.domain)) return true
  if (hasFormatWithin(input) || hasFormatWithin(metadataOf(decision.metadata))) return true
  return text.lower.includes('json') && isRequestedIn(text.lower)
}

function isRequestedIn(text: string): boolean {
  for (const { index } of text.matchAll(jsonRequest)) {
    const before = text.slice(Math.max(0, index - sentenceCharactersMax), index)
    const sentence = before.slice(sentenceStart(before))
    if (!otherMeaning.test(sentence)) return true
  }
  return false
}

function sentenceStart(text: string): number {
  return 1 + Math.max(...['.', '!', '?', '\n'].map((mark) => text.lastIndexOf(mark)))
}

function metadataOf(text: string | null): unknown {
  if (text === null || text.length > metadataCharactersMax) return undefined
  if (!text.includes('format') && !text.includes('chema')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Checks an object and the objects one level below it, because APIs place parameters at either
 * level.
 */
function hasFormatWithin(value: unknown): boolean {
  if (!isObject(value)) return false
  if (hasFormat(value) || isJsonFormat(value['format'])) return true
  const { text } = value
  if (isObject(text) && isJsonFormat(text['format'])) return true
  return membersOf(value).some((member) => isObject(member) && hasFormat(member))
}

/** Maximum number of members checked. Objects with parameters have few members. */
const membersMax = 64

function membersOf(value: object): unknown[] {
  return Array.isArray(value) ? [] : Object.values(value).slice(0, membersMax)
}

function hasFormat(fields: Readonly<Record<string, unknown>>): boolean {
  if (schemaNames.some((name) => isObject(fields[name]))) return true
  return formatNames.some((name) => isJsonFormat(fields[name]))
}

function isJsonFormat(value: unknown): boolean {
  if (typeof value === 'string') return /json/i.test(value)
  if (!isObject(value)) return false
  const { type } = value
  return typeof type === 'string' ? jsonType.test(type) : isObject(value['json_schema'])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
