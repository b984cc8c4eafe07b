/** A small JSON body to its value; for every route but ingest, which keeps the text as sent. */
import { isUtf8 } from 'node:buffer'
import { syntaxErrorAt } from '../../core/json/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { requireJson } from './require-json.ts'

/** No body of these routes comes near it; more is not even read. */
export const smallBodyBytesMax = 64 * 1024
const depthMax = 64

/** @throws {Problem} 415, 413 or 400 */
export function parseJsonBody(contentType: string | undefined, body: Buffer): unknown {
  requireJson(contentType)
  if (!isUtf8(body)) throw new Problem('malformed_encoding', { detail: 'The body is not UTF-8.' })
  return parseText(body.toString('utf8'))
}

/** V8's own message quotes the body, and a password may be in it. */
function parseText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // Whatever walks a value later may do so level by level.
    if (syntaxErrorAt(text, depthMax) === null) return value
  } catch {
    if (text.trim() === '') throw new Problem('malformed_json', { detail: 'The body is empty.' })
  }
  const position = syntaxErrorAt(text, depthMax) ?? text.length
  const detail = `The body is not JSON of at most ${depthMax} levels at character ${position}.`
  throw new Problem('malformed_json', { detail, members: { position } })
}
