/** parse, for a batch: bytes to one submission, or one refusal, for each item. */
import { scanItems } from '../../core/json/json-items.ts'
import type { JsonItems } from '../../core/json/json-items.ts'
import { membersMax, skipSpace, skipValue, walkMembers } from '../../core/json/json-members.ts'
import type { JsonMember, JsonMembers } from '../../core/json/json-members.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { syntaxErrorAt } from '../../core/json/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { requireJsonOrLines } from '../../http/body/require-json.ts'
import { malformedJson, parseText, submissionOf, textOf } from './parse.ts'
import type { Submission } from './parse.ts'

export const itemsMax = 1000

export interface ParsedBatch {
  readonly items: readonly (Submission | Problem)[]
  /** What the caller's SDK says it dropped, unchecked; undefined when it says nothing. */
  readonly client_report: unknown
}

/** What stands beside the decisions may have so many characters. */
const envelopeCharactersMax = 64 * 1024
const openBrace = 123
const openBracket = 91
const lineFeed = 10
const subject = 'The body'

/** @throws {Problem} 400, 413, 415 or 422 where the request as a whole is wrong. */
export function parseBatch(contentType: string | undefined, body: Buffer): ParsedBatch {
  return requireJsonOrLines(contentType) === 'lines'
    ? parseLines(body)
    : parseEnvelope(textOf(body))
}

/** `{"decisions": […]}`: the array is cut out, and what is left is small enough to look at. */
function parseEnvelope(text: string): ParsedBatch {
  const start = skipSpace(text, 0)
  if (text.charCodeAt(start) !== openBrace) throw noEnvelope(text)
  const { found, scanned } = scanEnvelope(text, start)
  const array = found.members.find(({ name }) => name === 'decisions')
  const isArray = array !== undefined && text.charCodeAt(array.start) === openBracket
  const envelope = parseRest(text, isArray ? array : { start: text.length, end: text.length })
  refuseMembers(found)
  if (array !== undefined && !isArray) throw invalid('/decisions', 'must be an array')
  const items = array === undefined ? [] : parseItems(text, scanned)
  const client_report = envelope['client_report']
  if (items.length > 0 || client_report !== undefined) return { items, client_report }
  throw invalid('/decisions', array === undefined ? 'is required' : 'must not be empty')
}

/** The members and, on the same walk, the items of the array: it is nearly all of the text. */
function scanEnvelope(text: string, start: number) {
  let scanned: JsonItems | null = null
  const found = walkMembers(text, start, (name, at) => {
    const isArray = name === 'decisions' && text.charCodeAt(at) === openBracket
    if (isArray) scanned = scanItems(text, at, itemsMax + 1)
    const end = isArray ? scanned?.end : null
    return end ?? skipValue(text, at, Number.POSITIVE_INFINITY)
  })
  return { found, scanned: scanned as JsonItems | null }
}

function parseItems(text: string, scanned: JsonItems | null): Submission[] {
  if (scanned === null) throw malformedJson(text, subject)
  if (scanned.items.length > itemsMax) throw tooMany()
  return scanned.items.map(({ start, end }) => {
    const submission = submissionOf(text.slice(start, end))
    if (submission === null || isBrokenBomb(submission)) throw malformedJson(text, subject)
    return submission
  })
}

/**
 * What is too deep or too many was not parsed. Were it no JSON either, nobody could tell where its
 * neighbours begin.
 */
function isBrokenBomb({ text, tooDeepIn, isTooMany }: Submission): boolean {
  if (tooDeepIn === null && !isTooMany) return false
  return syntaxErrorAt(text, Number.POSITIVE_INFINITY) !== null
}

/** The object without the array at `cut`. @throws {Problem} 400 when it is no JSON. */
function parseRest(text: string, cut: Pick<JsonMember, 'start' | 'end'>): Record<string, unknown> {
  const isCut = cut.start < cut.end
  if (text.length - (cut.end - cut.start) > envelopeCharactersMax) throw tooMuchBeside()
  const rest = `${text.slice(0, cut.start)}${isCut ? '[]' : ''}${text.slice(cut.end)}`
  try {
    return JSON.parse(rest) as Record<string, unknown>
  } catch {
    throw malformedJson(text, subject)
  }
}

/** One decision a line. A line that is no JSON fails alone; empty lines are no items. */
function parseLines(body: Buffer): ParsedBatch {
  const lines = linesOf(body)
  if (lines.length === 0) throw invalid('', 'has no decisions')
  return { items: lines.map(parseLine), client_report: undefined }
}

function parseLine(line: Buffer): Submission | Problem {
  try {
    return parseText(textOf(line, 'The line'), 'The line')
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = skipBlankLines(body, 0); start < body.length;) {
    const found = body.indexOf(lineFeed, start)
    const end = found < 0 ? body.length : found
    lines.push(body.subarray(start, end))
    if (lines.length > itemsMax) throw tooMany()
    start = skipBlankLines(body, end + 1)
  }
  return lines
}

/** Where the next line begins that has something in it. A body may have ten million without. */
function skipBlankLines(body: Buffer, from: number): number {
  let start = from
  for (let at = from; at < body.length; at++) {
    const byte = body[at]
    if (byte === lineFeed) start = at + 1
    else if (byte !== 32 && byte !== 9 && byte !== 13) return start
  }
  return body.length
}

function refuseMembers({ members, isTooMany }: JsonMembers): void {
  if (isTooMany) throw invalid('', `has more than ${membersMax} members`)
  const seen = new Set<string>()
  for (const { name } of members) {
    if (seen.has(name)) throw invalid(pointerTo(name), 'appears more than once')
    seen.add(name)
  }
}

/** A bare array is what many people send first, so it is told how to go on. */
function noEnvelope(text: string): Problem {
  if (submissionOf(text) === null) {
    return malformedJson(text, subject)
  }
  return invalid('', 'must be an object: {"decisions": […]}')
}

function invalid(pointer: string, detail: string): Problem {
  const where = pointer === '' ? subject : pointer
  return new Problem('invalid_batch', {
    detail: `${where} ${detail}.`,
    errors: [{ pointer, detail }]
  })
}

function tooMany(): Problem {
  return new Problem('payload_too_large', {
    detail: `A batch has at most ${itemsMax} decisions; send it in parts.`,
    members: { pointer: '/decisions', limit_items: itemsMax }
  })
}

function tooMuchBeside(): Problem {
  return new Problem('payload_too_large', {
    detail: `Beside the decisions a batch has at most ${envelopeCharactersMax} characters.`,
    members: { pointer: '', limit_characters: envelopeCharactersMax }
  })
}
