/** parse: bytes to a JSON value and to where each of its members stands in the text. */
import { isUtf8 } from 'node:buffer'
import { scanMembers, skipSpace } from '../../core/json-members.ts'
import type { JsonMember } from '../../core/json-members.ts'
import { syntaxErrorAt } from '../../core/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { requireJson } from '../require-json.ts'

/** Levels of nesting in a body, the body's own object included. */
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

/** @throws {Problem} 415 when it is not declared as JSON in UTF-8, 400 when it is not. */
export function parse(contentType: string | undefined, body: Buffer): Submission {
  requireJson(contentType)
  if (!isUtf8(body)) {
    throw new Problem('malformed_encoding', {
      detail: `The body is not UTF-8 at ${badByteOf(body)}.`
    })
  }
  return parseText(body.toString('utf8'))
}

/** The scan comes first: it refuses a depth bomb before JSON.parse would hold all its levels. */
function parseText(withMark: string): Submission {
  const text = withMark.charCodeAt(0) === byteOrderMark ? withMark.slice(1) : withMark
  const start = skipSpace(text, 0)
  const isObject = text.charCodeAt(start) === openBrace
  const { members, tooDeepIn } = isObject
    ? scanMembers(text, start, depthMax)
    : { members: [], tooDeepIn: null }
  const value =
    isObject && tooDeepIn === null ? parseJson(text) : refuseNonObject(text, start, isObject)
  return { text, value, members, tooDeepIn }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedJson(text)
  }
}

/** An array or scalar is valid JSON but no decision: 422 says so, where broken text is a 400. */
function refuseNonObject(text: string, start: number, isObject: boolean): unknown {
  if (isObject) return undefined
  if (syntaxErrorAt(text, depthMax) !== null || start >= text.length) throw malformedJson(text)
  return null
}

/** V8's own message quotes the body, which must not travel back, and often names no place. */
function malformedJson(text: string): Problem {
  if (text.trim() === '') return new Problem('malformed_json', { detail: 'The body is empty.' })
  const at = syntaxErrorAt(text, depthMax) ?? text.length
  const lines = text.slice(0, at).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  const detail = `The body is not JSON at line ${lines.length}, column ${column}.`
  return new Problem('malformed_json', { detail, members: { position: at } })
}

function badByteOf(body: Buffer): string {
  const decoded = body.toString('utf8')
  const at = Buffer.byteLength(decoded.slice(0, decoded.indexOf('\uFFFD')), 'utf8')
  return `byte ${at}`
}
