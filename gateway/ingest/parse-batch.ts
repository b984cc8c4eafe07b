/** Parses a batch: converts its bytes to one submission or one problem per item. */
import { scanItemsSteps } from '../../core/json/json-items.ts'
import type { JsonItems } from '../../core/json/json-items.ts'
import { skipValueSteps, walkMembersSteps } from '../../core/json/json-member-steps.ts'
import { membersMax, skipSpace } from '../../core/json/json-members.ts'
import type { JsonMember, JsonMembers } from '../../core/json/json-members.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { isLong, runSteps, stepCharacters } from '../../core/json/steps.ts'
import type { Steps } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import { requireJsonOrLines } from '../../http/body/require-json.ts'
import {
  exceedsScanLimits,
  malformedJsonSteps,
  parseText,
  parseTextSteps,
  submissionOf,
  submissionSteps,
  textOf
} from './parse.ts'
import type { Submission } from './parse.ts'

export const itemsMax = 1000

/** An item, or the problem for which it was rejected. */
export type Item<T> = T | Problem

interface Items {
  readonly items: readonly Item<Submission>[]
  /** Length of each item's text, in characters, or in bytes for JSON lines. */
  readonly sizes: readonly number[]
}

interface ParsedBatch extends Items {
  /** The SDK's report of dropped decisions, not validated; undefined if absent. */
  readonly client_report: unknown
}

/** Maximum length in characters of the body without its array of decisions. */
export const envelopeCharactersMax = 64 * 1024
const openBrace = 123
const openBracket = 91
const lineFeed = 10
const subject = 'The body'
const noItems: Items = { items: [], sizes: [] }

/** @throws {Problem} 400, 413, 415 or 422 if the request as a whole is invalid */
export function parseBatch(contentType: string | undefined, body: Buffer): ParsedBatch {
  return runSteps(parseBatchSteps(contentType, body))
}

/** Works like `parseBatch`, but in steps. */
export function* parseBatchSteps(
  contentType: string | undefined,
  body: Buffer
): Steps<ParsedBatch> {
  return requireJsonOrLines(contentType) === 'lines'
    ? yield* parseLines(body)
    : yield* parseEnvelope(textOf(body))
}

/** Parses `{"decisions": […]}`: the array item by item, and the short remainder in one step. */
function* parseEnvelope(text: string): Steps<ParsedBatch> {
  const start = skipSpace(text, 0)
  if (text.charCodeAt(start) !== openBrace) throw yield* notAnObject(text)
  const { found, scanned } = yield* scanEnvelope(text, start)
  const array = found.members.find(({ name }) => name === 'decisions')
  const isArray = array !== undefined && text.charCodeAt(array.start) === openBracket
  const cut = isArray ? array : { start: text.length, end: text.length }
  const envelope = yield* parseRest(text, cut)
  refuseMembers(found)
  if (array !== undefined && !isArray) throw invalid('/decisions', 'must be an array')
  const parsed = array === undefined ? noItems : yield* parseItems(text, scanned)
  const client_report = envelope['client_report']
  if (parsed.items.length > 0 || client_report !== undefined) return { ...parsed, client_report }
  throw invalid('/decisions', array === undefined ? 'is required' : 'must not be empty')
}

/** Finds the members and the array items in one pass, because the array is most of the text. */
function* scanEnvelope(text: string, start: number) {
  let scanned: JsonItems | null = null
  const found = yield* walkMembersSteps(text, start, function* (name, at) {
    const isArray = name === 'decisions' && text.charCodeAt(at) === openBracket
    if (isArray) scanned = yield* scanItemsSteps(text, at, itemsMax + 1)
    const end = isArray ? scanned?.end : null
    return end ?? (yield* skipValueSteps(text, at, Number.POSITIVE_INFINITY))
  })
  return { found, scanned: scanned as JsonItems | null }
}

function* parseItems(text: string, scanned: JsonItems | null): Steps<Items> {
  if (scanned === null) return yield* refuseMalformed(text)
  if (scanned.items.length > itemsMax) throw tooMany()
  const items: Item<Submission>[] = []
  let pauseAt = stepCharacters
  for (const { start, end } of scanned.items) {
    const item = text.slice(start, end)
    const submission = isLong(item) ? yield* parseLongItem(item) : parseItem(item)
    if (submission === null) return yield* refuseMalformed(text)
    items.push(submission)
    if (end < pauseAt) continue
    pauseAt = end + stepCharacters
    yield
  }
  return { items, sizes: scanned.items.map(({ start, end }) => end - start) }
}

interface OneItem {
  readonly item: Item<Submission>
  readonly size: number
}

/** Parses an item of an array, whose syntax the kernel has checked. */
export function* itemSteps(bytes: Buffer): Steps<OneItem> {
  const text = bytes.toString('utf8')
  const item = isLong(text) ? yield* parseLongItem(text) : parseItem(text)
  if (item === null) throw new Error('the kernel accepted the syntax of an item that is not JSON')
  return { item, size: text.length }
}

/** Parses one line. */
export function* lineSteps(line: Buffer): Steps<OneItem> {
  const item = isLong(line) ? yield* caught(parseLongLine(line)) : parseLine(line)
  return { item, size: line.length }
}

/**
 * Parses an item, or returns null if it is not JSON. Items above the scan limits are not parsed, so
 * their syntax is checked here: after a malformed item, the item boundaries are unreliable.
 */
function parseItem(text: string): Submission | null {
  const submission = submissionOf(text)
  if (submission === null || !exceedsScanLimits(submission)) return submission
  return runSteps(isMalformed(text)) ? null : submission
}

function* parseLongItem(text: string): Steps<Item<Submission> | null> {
  const item = yield* caught(submissionSteps(text))
  if (item === null || !(item instanceof Problem || exceedsScanLimits(item))) return item
  return (yield* isMalformed(text)) ? null : item
}

function* isMalformed(text: string): Steps<boolean> {
  return (yield* syntaxErrorSteps(text, Number.POSITIVE_INFINITY)) !== null
}

/** Runs the steps. If they throw a `Problem`, returns it instead. */
function* caught<T>(steps: Steps<T>): Steps<T | Problem> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Parses the object with an empty array in place of the one at `cut`. */
function* parseRest(
  text: string,
  cut: Pick<JsonMember, 'start' | 'end'>
): Steps<Record<string, unknown>> {
  const isCut = cut.start < cut.end
  if (text.length - (cut.end - cut.start) > envelopeCharactersMax) throw envelopeTooLarge()
  const rest = `${text.slice(0, cut.start)}${isCut ? '[]' : ''}${text.slice(cut.end)}`
  try {
    return JSON.parse(rest) as Record<string, unknown>
  } catch {
    return yield* refuseMalformed(text)
  }
}

/**
 * Parses one decision per line and skips blank lines. A line that is not JSON or is too large is
 * rejected without affecting the others.
 */
function* parseLines(body: Buffer): Steps<ParsedBatch> {
  const lines = linesOf(body)
  if (lines.length === 0) throw invalid('', 'has no decisions')
  const items: Item<Submission>[] = []
  let unpaused = 0
  for (const line of lines) {
    items.push((yield* lineSteps(line)).item)
    unpaused += line.length
    if (unpaused < stepCharacters) continue
    unpaused = 0
    yield
  }
  return { items, sizes: lines.map(({ length }) => length), client_report: undefined }
}

function* parseLongLine(line: Buffer): Steps<Submission> {
  return yield* parseTextSteps(textOf(line, 'The line'), 'The line')
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

/**
 * Returns the start of the next non-blank line. Scans byte by byte without splitting, because a
 * body can have ten million blank lines.
 */
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

/** Returns an error that shows the expected form, because a bare array is a common mistake. */
function* notAnObject(text: string): Steps<Problem> {
  if (yield* isMalformed(text)) return yield* malformedJsonSteps(text, subject)
  return invalid('', 'must be an object: {"decisions": […]}')
}

function* refuseMalformed(text: string): Steps<never> {
  throw yield* malformedJsonSteps(text, subject)
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
    detail: `The batch has more than ${itemsMax} decisions. Split it into several requests.`,
    members: { pointer: '/decisions', limit_items: itemsMax }
  })
}

function envelopeTooLarge(): Problem {
  return new Problem('payload_too_large', {
    detail:
      `The batch has more than ${envelopeCharactersMax} characters outside \`decisions\`. ` +
      'Remove other members.',
    members: { pointer: '', limit_characters: envelopeCharactersMax }
  })
}
