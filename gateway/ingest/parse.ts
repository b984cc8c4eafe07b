/** parse: bytes to a JSON value and to where each of its members stands in the text. */
import { isUtf8 } from 'node:buffer'
import { scanMembers, skipSpace } from '../../core/json/json-members.ts'
import type { JsonMember, JsonMembers } from '../../core/json/json-members.ts'
import { syntaxErrorAt } from '../../core/json/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { utf8ErrorAt } from '../../core/json/utf8-error.ts'
import { requireJson } from '../../http/body/require-json.ts'

/** Levels of nesting in a decision, its own object included. */
export const depthMax = 64

export interface Submission {
  /** The body as text; `members` point into it. */
  readonly text: string
  readonly value: unknown
  readonly members: readonly JsonMember[]
  /** Name of a member nested too deep; then `value` was not parsed. */
  readonly tooDeepIn: string | null
  /** Whether it has more members than are looked at; then `value` was not parsed either. */
  readonly isTooMany: boolean
}

const byteOrderMark = 0xfeff
const openBrace = 123
const nothingFound = { members: [], tooDeepIn: null, isTooMany: false }

/** @throws {Problem} 415 when it is not declared as JSON in UTF-8, 400 when it is not. */
export function parse(contentType: string | undefined, body: Buffer): Submission {
  requireJson(contentType)
  return parseText(textOf(body))
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
  if (tooDeepIn !== null || isTooMany) return { text, value: null, members, tooDeepIn, isTooMany }
  try {
    const value = named(JSON.parse(text) as object, text, found)
    return { text, value, members, tooDeepIn, isTooMany }
  } catch {
    return null
  }
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

/** V8's own message quotes the body, which must not travel back, and often names no place. */
export function malformedJson(text: string, subject: string): Problem {
  if (text.trim() === '') return new Problem('malformed_json', { detail: `${subject} is empty.` })
  const at = syntaxErrorAt(text, Number.POSITIVE_INFINITY) ?? text.length
  const column = at - (at === 0 ? -1 : text.lastIndexOf('\n', at - 1))
  const detail = `${subject} is not JSON at line ${lineOf(text, at)}, column ${column}.`
  return new Problem('malformed_json', { detail, members: { position: at } })
}

/** Counted without cutting the lines: a body may have ten million. */
function lineOf(text: string, at: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1
  }
  return line
}
