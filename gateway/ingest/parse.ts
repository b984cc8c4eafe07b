/** parse: bytes to a JSON value and to where each of its members stands in the text. */
import { isUtf8 } from 'node:buffer'
import { scanMembers, skipSpace } from '../../core/json-members.ts'
import type { JsonMember } from '../../core/json-members.ts'
import { syntaxErrorAt } from '../../core/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { requireJson } from '../require-json.ts'

/** Levels of nesting in a decision, its own object included. */
export const depthMax = 64

export interface Submission {
  /** The body as text; `members` point into it. */
  readonly text: string
  readonly value: unknown
  readonly members: readonly JsonMember[]
  /** Name of a member nested too deep; then `value` was not parsed. */
  readonly tooDeepIn: string | null
}

const byteOrderMark = 0xfeff
const openBrace = 123
const nothing: readonly JsonMember[] = Object.freeze([])

/** @throws {Problem} 415 when it is not declared as JSON in UTF-8, 400 when it is not. */
export function parse(contentType: string | undefined, body: Buffer): Submission {
  requireJson(contentType)
  return parseText(textOf(body))
}

/** The text behind a byte order mark. @throws {Problem} 400 when it is not UTF-8. */
export function textOf(body: Buffer, subject = 'The body'): string {
  if (!isUtf8(body)) {
    throw new Problem('malformed_encoding', {
      detail: `${subject} is not UTF-8 at ${badByteOf(body)}.`
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
    return isJson ? { text, value: null, members: nothing, tooDeepIn: null } : null
  }
  const { members, tooDeepIn } = scanMembers(text, start, depthMax)
  if (tooDeepIn !== null) return { text, value: null, members, tooDeepIn }
  try {
    return { text, value: JSON.parse(text), members, tooDeepIn }
  } catch {
    return null
  }
}

/** V8's own message quotes the body, which must not travel back, and often names no place. */
export function malformedJson(text: string, subject: string): Problem {
  if (text.trim() === '') return new Problem('malformed_json', { detail: `${subject} is empty.` })
  const at = syntaxErrorAt(text, Number.POSITIVE_INFINITY) ?? text.length
  const lines = text.slice(0, at).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  const detail = `${subject} is not JSON at line ${lines.length}, column ${column}.`
  return new Problem('malformed_json', { detail, members: { position: at } })
}

function badByteOf(body: Buffer): string {
  const decoded = body.toString('utf8')
  const at = Buffer.byteLength(decoded.slice(0, decoded.indexOf('\uFFFD')), 'utf8')
  return `byte ${at}`
}
