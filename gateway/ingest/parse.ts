/** parse: bytes to a JSON value and to where each of its members stands in the text. */
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

/** Levels of nesting in a decision, its own object included. */
export const depthMax = 64

export interface Submission {
  /** The body as text; `members` point into it. */
  readonly text: string
  /** Of a long text the arrays and objects in it are empty: nobody needs what they hold. */
  readonly value: unknown
  readonly members: readonly JsonMember[]
  /** Name of a member nested too deep; then `value` was not parsed. */
  readonly tooDeepIn: string | null
  /** Whether it has more members than are looked at; then `value` was not parsed either. */
  readonly isTooMany: boolean
  /** The members with an unpaired surrogate; null where nobody has looked yet. */
  readonly broken: ReadonlySet<JsonMember> | null
}

const byteOrderMark = 0xfeff
const lineFeed = 10
const openBrace = 123
const openBracket = 91
const nothingFound = { members: [], tooDeepIn: null, isTooMany: false, broken: null }

/** @throws {Problem} 415 when it is not declared as JSON in UTF-8, 400 when it is not. */
export function parse(contentType: string | undefined, body: Buffer): Submission {
  requireJson(contentType)
  return parseText(textOf(body))
}

/** As `parse`, in steps; 413 as well, when the decision is too large whatever its other members. */
export function* parseSteps(contentType: string | undefined, body: Buffer): Steps<Submission> {
  requireJson(contentType)
  const text = textOf(body)
  yield
  return yield* parseTextSteps(text, 'The body')
}

/** The text behind a byte order mark. @throws {Problem} 400 when it is not UTF-8. */
export function textOf(body: Buffer, subject = 'The body'): string {
  if (!isUtf8(body)) {
    throw new Problem('malformed_encoding', {
      detail: `${subject} is not UTF-8 at byte ${utf8ErrorAt(body) ?? 0}.`
    })
  }
  const text = body.toString('utf8')
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

/** One decision that is all of `text`. @throws {Problem} 400 when the text is no JSON. */
export function parseText(text: string, subject = 'The body'): Submission {
  const submission = submissionOf(text)
  if (submission === null) throw malformedJson(text, subject)
  return submission
}

/**
 * The scan comes first: it refuses a depth bomb before JSON.parse would hold all its levels. An
 * array or scalar is JSON but no decision: validation says so. Null when `text` is no JSON.
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

/** Whether the scan gave up on it, so that it was not parsed. */
export function isBomb({ tooDeepIn, isTooMany }: Submission): boolean {
  return tooDeepIn !== null || isTooMany
}

/**
 * As `submissionOf`, in steps, and nothing is parsed whose value nobody needs: 10 MiB of `{}` would
 * become 1.4 million objects. @throws {Problem} 413 when the decision is too large, JSON or not.
 */
export function* submissionSteps(text: string): Steps<Submission | null> {
  const start = skipSpace(text, 0)
  const isObject = text.charCodeAt(start) === openBrace
  const { members, tooDeepIn, isTooMany } = isObject
    ? yield* scanMembersSteps(text, start, depthMax)
    : nothingFound
  const scanned = { text, value: null, members, tooDeepIn, isTooMany, broken: null }
  if (isBomb(scanned)) return scanned
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

/** Both travel as they were sent, so what they have as text the encoded decision has as well. */
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
 * The object with what is nested in it left empty, its names read on their own (see `named`);
 * undefined when anything else in it is no JSON.
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

/** An empty string in the place of each value: what follows it cannot become a part of it. */
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
 * JSON.parse of V8 may get a name with an escape wrong once it has seen another that is written
 * alike (nodejs/node#63785): "agent_i\\u0064" would be lost. The scan reads such names on its own.
 */
function named(value: object, text: string, found: JsonMembers): object {
  const { members, hasEscapedName } = found
  if (!hasEscapedName || members.every(({ name }) => Object.hasOwn(value, name))) return value
  const entries = members.map(({ name, start, end }): [string, unknown] => {
    return [name, JSON.parse(text.slice(start, end))]
  })
  return Object.fromEntries(entries)
}

/** As `parseText`, in steps. @throws {Problem} 413 as well. */
export function* parseTextSteps(text: string, subject: string): Steps<Submission> {
  const submission = yield* submissionSteps(text)
  if (submission === null) throw yield* malformedJsonSteps(text, subject)
  return submission
}

/** V8's own message quotes the body, which must not travel back, and often names no place. */
export function malformedJson(text: string, subject: string): Problem {
  return runSteps(malformedJsonSteps(text, subject))
}

export function* malformedJsonSteps(text: string, subject: string): Steps<Problem> {
  if (!/\S/.test(text)) return new Problem('malformed_json', { detail: `${subject} is empty.` })
  const at = (yield* syntaxErrorSteps(text, Number.POSITIVE_INFINITY)) ?? text.length
  const column = at - (at === 0 ? -1 : text.lastIndexOf('\n', at - 1))
  const detail = `${subject} is not JSON at line ${yield* lineOf(text, at)}, column ${column}.`
  return new Problem('malformed_json', { detail, members: { position: at } })
}

/** Counted without cutting the lines, or searching for each: a body may have ten million. */
function* lineOf(text: string, at: number): Steps<number> {
  let line = 1
  for (let index = 0; index < at; index++) {
    if (text.charCodeAt(index) === lineFeed) line += 1
    if (index % stepCharacters === stepCharacters - 1) yield
  }
  return line
}
