/** Parses a JSON body, for all routes except ingest, which keeps the text as sent. */
import { isUtf8 } from 'node:buffer'
import { findDuplicateMember } from '../../core/json/duplicate-member.ts'
import { syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { Problem } from '../../core/problem.ts'
import { isLong, runSteps } from '../../core/json/steps.ts'
import type { Steps } from '../../core/json/steps.ts'
import { runStepsYielding } from '../../platform/process/yield-to-event-loop.ts'
import { requireJson } from './require-json.ts'

/** Default maximum size of a body in bytes, well above any valid body of routes that use it. */
export const smallBodyBytesMax = 64 * 1024
const depthMax = 64
/**
 * Maximum number of values. More would block the process: 4 MiB can contain a million empty arrays.
 */
const valuesMax = 100_000
/** Maximum length of a pointer that the response repeats. */
const pointerLengthMax = 256

/** @throws {Problem} 415 or 400; 422 if an object has a duplicate member */
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

/**
 * Rejects duplicate members. JSON readers disagree on which of them counts, and the parsed value
 * has lost all but one.
 */
async function refuseDuplicates(text: string): Promise<void> {
  const found = await run(text, findDuplicateMember(text))
  if (found === null) return
  const isLongPath = found.length > pointerLengthMax
  const pointer = isLongPath ? '' : found
  const what = isLongPath
    ? 'has a duplicate member with a very long path'
    : 'appears more than once'
  const detail = `The body is not valid: ${pointer || 'it'} ${what}.`
  throw new Problem('invalid_body', { detail, errors: [{ pointer, detail: what }] })
}

/**
 * Parses the text. Replaces V8's error message, which quotes the body and could reveal a password.
 */
async function parseText(text: string): Promise<unknown> {
  // The limits also bound the cost of later walks over the value.
  const position = await run(text, syntaxErrorSteps(text, depthMax, valuesMax))
  if (position === null) return JSON.parse(text)
  if (text.trim() === '') throw new Problem('malformed_json', { detail: 'The body is empty.' })
  const detail =
    `The body is not valid JSON, or exceeds ${depthMax} levels or ${valuesMax} values, at ` +
    `character ${position}.`
  throw new Problem('malformed_json', { detail, members: { position } })
}

/** Processes short texts immediately, so that they do not wait for long ones. */
async function run<T>(text: string, steps: Steps<T>): Promise<T> {
  return isLong(text) ? runStepsYielding(steps) : runSteps(steps)
}
