/** Parses bytes into a JSON value and finds the position of each member in the text. */
import { isUtf8 } from 'node:buffer'
import { scanMembersSteps } from '../../core/json/json-member-steps.ts'
import { scanMembers, skipSpace } from '../../core/json/json-members.ts'
import type { JsonMember, JsonMembers } from '../../core/json/json-members.ts'
import { syntaxErrorAt, syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { runSteps, stepCharacters } from '../../core/json/steps.ts'
import type { Steps } from '../../core/json/steps.ts'
import { loneSurrogateSteps } from '../../core/json/surrogates.ts'
import { Problem } from '../../core/problem.ts'
import { utf8ErrorAt } from '../../core/json/utf8-error.ts'
import { requireJson } from '../../http/body/require-json.ts'
import { decisionBytesMax, tooLarge } from './encode.ts'

/** Maximum nesting depth of a decision, counting its outermost object. */
export const depthMax = 64

export interface Submission {
  /** The body as text; `members` point into it. */
  readonly text: string
  /**
   * The parsed object. Nested arrays and objects of a long text are left empty, because their
   * content is not used.
   */
  readonly value: unknown
  readonly members: readonly JsonMember[]
  /**
   * Name of a member that is nested too deeply, in which case `value` is not parsed; null if there
   * is none.
   */
  readonly tooDeepIn: string | null
  /** Whether the object has more members than the limit, in which case `value` is not parsed. */
  readonly isTooMany: boolean
  /** Members with an unpaired surrogate, or null if they have not been checked yet. */
  readonly broken: ReadonlySet<JsonMember> | null
}

const byteOrderMark = 0xfeff
const lineFeed = 10
const openBrace = 123
const openBracket = 91
const nothingFound = { members: [], tooDeepIn: null, isTooMany: false, broken: null }

/**
 * Parses a body.
 * @throws {Problem} 415 unless the media type is JSON in UTF-8, 400 unless the body is JSON in
 * UTF-8
 */
export function parse(contentType: string | undefined, body: Buffer): Submission {
  requireJson(contentType)
  return parseText(textOf(body))
}

/**
 * Works like `parse`, but in steps.
 * @throws {Problem} also 413 if `input` and `metadata` alone are too large
 */
export function* parseSteps(contentType: string | undefined, body: Buffer): Steps<Submission> {
  requireJson(contentType)
  const text = textOf(body)
  yield
  return yield* parseTextSteps(text, 'The body')
}

/**
 * Decodes the body and removes a byte order mark.
 * @throws {Problem} 400 if it is not UTF-8
 */
export function textOf(body: Buffer, subject = 'The body'): string {
  if (!isUtf8(body)) {
    throw new Problem('malformed_encoding', {
      detail: `${subject} is not UTF-8 at byte ${utf8ErrorAt(body) ?? 0}.`
    })
  }
  const text = body.toString('utf8')
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

/**
 * Parses `text` as one decision.
 * @throws {Problem} 400 if it is not JSON
 */
export function parseText(text: string, subject = 'The body'): Submission {
  const submission = submissionOf(text)
  if (submission === null) throw malformedJson(text, subject)
  return submission
}

/**
 * Parses a decision, or returns null if `text` is not JSON. Scans the text first, so that a text
 * with excessive nesting is rejected before JSON.parse creates its objects. Arrays and scalars are
 * accepted here and rejected by validation.
 */
export function submissionOf(text: string): Submission | null {
  const start = skipSpace(text, 0)
  if (text.charCodeAt(start) !== openBrace) {
    const isJson = syntaxErrorAt(text, Number.POSITIVE_INFINITY) === null
    return isJson ? { text, value: null, ...nothingFound } : null
  }
  const found = scanMembers(text, start, depthMax)
  const { members, tooDeepIn, isTooMany } = found
  const broken = null
  if (tooDeepIn !== null || isTooMany)
    return { text, value: null, members, tooDeepIn, isTooMany, broken }
  try {
    const value = named(JSON.parse(text) as object, text, found)
    return { text, value, members, tooDeepIn, isTooMany, broken }
  } catch {
    return null
  }
}

/** Checks whether the scan stopped at a limit, so that the value was not parsed. */
export function exceedsScanLimits({ tooDeepIn, isTooMany }: Submission): boolean {
  return tooDeepIn !== null || isTooMany
}

/**
 * Works like `submissionOf`, but in steps. Leaves nested values empty, because 10 MiB of `{}` would
 * become millions of objects.
 * @throws {Problem} 413 if `input` and `metadata` are too large, even if the text is not JSON
 */
export function* submissionSteps(text: string): Steps<Submission | null> {
  const start = skipSpace(text, 0)
  const isObject = text.charCodeAt(start) === openBrace
  const { members, tooDeepIn, isTooMany } = isObject
    ? yield* scanMembersSteps(text, start, depthMax)
    : nothingFound
  const scanned = { text, value: null, members, tooDeepIn, isTooMany, broken: null }
  if (exceedsScanLimits(scanned)) return scanned
  refuseTooLarge(text, members)
  yield
  const value = isObject ? outlineOf(text, members) : null
  if (value === undefined) return null
  yield
  for (const slice of isObject ? nestedOf(text, members) : [text]) {
    if ((yield* syntaxErrorSteps(slice, Number.POSITIVE_INFINITY)) !== null) return null
  }
  return { ...scanned, value, broken: yield* brokenSteps(text, members) }
}

/**
 * Rejects a decision whose `input` and `metadata` alone are too large. Both are stored as sent, so
 * their size is a lower bound for the encoded decision.
 */
function refuseTooLarge(text: string, members: readonly JsonMember[]): void {
  const bytesOf = (wanted: string): number => {
    const found = members.find(({ name }) => name === wanted)
    return found === undefined ? 0 : Buffer.byteLength(text.slice(found.start, found.end))
  }
  const sizes = { input: bytesOf('input'), metadata: bytesOf('metadata') }
  if (sizes.input + sizes.metadata > decisionBytesMax) throw tooLarge(sizes)
}

function* brokenSteps(text: string, members: readonly JsonMember[]): Steps<Set<JsonMember>> {
  const broken = new Set<JsonMember>()
  for (const member of members) {
    if (yield* loneSurrogateSteps(text.slice(member.start, member.end))) broken.add(member)
  }
  return broken
}

/**
 * Parses the object with nested values left empty. Takes the names from the scan, because
 * JSON.parse may misread escaped names (nodejs/node#63785). Returns undefined if the text outside
 * the nested values is not JSON.
 */
function outlineOf(text: string, members: readonly JsonMember[]): object | undefined {
  const valueOf = ({ start, end }: JsonMember): unknown => {
    const first = text.charCodeAt(start)
    if (first === openBrace) return {}
    return first === openBracket ? [] : JSON.parse(text.slice(start, end))
  }
  try {
    JSON.parse(withoutValues(text, members))
    return Object.fromEntries(members.map((member) => [member.name, valueOf(member)]))
  } catch {
    return undefined
  }
}

/**
 * Replaces each value with an empty string, so that text after a value cannot become part of it.
 */
function withoutValues(text: string, members: readonly JsonMember[]): string {
  const starts = [0, ...members.map(({ end }) => end)]
  const ends = [...members.map(({ start }) => start), text.length]
  return starts.map((start, index) => text.slice(start, ends[index])).join('""')
}

function nestedOf(text: string, members: readonly JsonMember[]): string[] {
  const slices = members.map(({ start, end }) => text.slice(start, end))
  return slices.filter((slice) => slice.startsWith('{') || slice.startsWith('['))
}

/**
 * Takes the names from the scan if any is escaped and the parsed value lacks a member, because V8's
 * JSON.parse may misread an escaped name after another name with similar spelling
 * (nodejs/node#63785): "agent_i\u0064" would be lost.
 */
function named(value: object, text: string, found: JsonMembers): object {
  const { members, hasEscapedName } = found
  if (!hasEscapedName || members.every(({ name }) => Object.hasOwn(value, name))) return value
  const entries = members.map(({ name, start, end }): [string, unknown] => {
    return [name, JSON.parse(text.slice(start, end))]
  })
  return Object.fromEntries(entries)
}

/**
 * Works like `parseText`, but in steps.
 * @throws {Problem} also 413 if the decision is too large
 */
export function* parseTextSteps(text: string, subject: string): Steps<Submission> {
  const submission = yield* submissionSteps(text)
  if (submission === null) throw yield* malformedJsonSteps(text, subject)
  return submission
}

/**
 * Returns a 400 with the position of the error. V8's message is not used, because it quotes the
 * body and often lacks the position.
 */
function malformedJson(text: string, subject: string): Problem {
  return runSteps(malformedJsonSteps(text, subject))
}

export function* malformedJsonSteps(text: string, subject: string): Steps<Problem> {
  if (!/\S/.test(text)) return new Problem('malformed_json', { detail: `${subject} is empty.` })
  const at = (yield* syntaxErrorSteps(text, Number.POSITIVE_INFINITY)) ?? text.length
  const column = at - (at === 0 ? -1 : text.lastIndexOf('\n', at - 1))
  const detail = `${subject} is not JSON at line ${yield* lineOf(text, at)}, column ${column}.`
  return new Problem('malformed_json', { detail, members: { position: at } })
}

/**
 * Returns the line number of `at`. Counts without splitting or searching, because a body can have
 * ten million lines.
 */
function* lineOf(text: string, at: number): Steps<number> {
  let line = 1
  for (let index = 0; index < at; index++) {
    if (text.charCodeAt(index) === lineFeed) line += 1
    if (index % stepCharacters === stepCharacters - 1) yield
  }
  return line
}
