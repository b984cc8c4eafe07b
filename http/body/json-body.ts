/** A small JSON body to its value; for every route but ingest, which keeps the text as sent. */
import { isUtf8 } from 'node:buffer'
import { findDuplicateMember } from '../../core/json/duplicate-member.ts'
import { syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { isLong, runSteps } from '../../core/json/steps.ts'
import type { Steps } from '../../core/json/steps.ts'
import { runInTurns } from '../../platform/process/yield-turn.ts'
import { requireJson } from './require-json.ts'

/** No body of these routes comes near it; more is not even read. */
export const smallBodyBytesMax = 64 * 1024
const depthMax = 64
/** To parse more would hold up the process: 4 MiB may be a million empty arrays. */
const valuesMax = 100_000
/** A longer pointer is not repeated in the response. */
const pointerLengthMax = 256

/** @throws {Problem} 415 or 400; 422 if an object has a member twice */
export async function parseJsonBody(
  contentType: string | undefined,
  body: Buffer
): Promise<unknown> {
  requireJson(contentType)
  if (!isUtf8(body)) throw new Problem('malformed_encoding', { detail: 'The body is not UTF-8.' })
  const text = body.toString('utf8')
  const value = await parseText(text)
  await refuseDuplicates(text)
  return value
}

/** Readers disagree on which of two members counts, and the parsed value has lost one of them. */
async function refuseDuplicates(text: string): Promise<void> {
  const found = await run(text, findDuplicateMember(text))
  if (found === null) return
  const isLongPath = found.length > pointerLengthMax
  const pointer = isLongPath ? '' : found
  const what = isLongPath ? 'has a member with a very long path twice' : 'appears more than once'
  const detail = `The body is not valid: ${pointer || 'it'} ${what}.`
  throw new Problem('invalid_body', { detail, errors: [{ pointer, detail: what }] })
}

/** V8's own message quotes the body, and a password may be in it. */
async function parseText(text: string): Promise<unknown> {
  // Whatever walks a value later may do so level by level.
  const position = await run(text, syntaxErrorSteps(text, depthMax, valuesMax))
  if (position === null) return JSON.parse(text)
  if (text.trim() === '') throw new Problem('malformed_json', { detail: 'The body is empty.' })
  const detail =
    `The body is not JSON of at most ${depthMax} levels and ${valuesMax} values ` +
    `at character ${position}.`
  throw new Problem('malformed_json', { detail, members: { position } })
}

/** A short text does not wait for its turn behind long ones. */
async function run<T>(text: string, steps: Steps<T>): Promise<T> {
  return isLong(text) ? runInTurns(steps) : runSteps(steps)
}
