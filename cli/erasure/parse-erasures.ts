/** Parses the output of `sluice erase --list --json`. */
import { isUuid } from '../../core/ids/ids.ts'
import type { ErasureScope } from '../../core/decision/erasure.ts'
import type { ExportedErasure } from '../../store/erasure/restore-erasures.ts'

const scopes: readonly ErasureScope[] = ['decision', 'session', 'agent', 'organization']

/**
 * Parses erasures. Each line is a JSON array, so that output files can be concatenated.
 * @throws {Error} that gives the number of the invalid line, not counting blank lines
 */
export function parseErasures(text: string): ExportedErasure[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((line, index) => {
    try {
      const list: unknown = JSON.parse(line)
      if (!Array.isArray(list)) throw new Error('not a list')
      return list.map(erasureOf)
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`line ${index + 1} is not output of --list --json: ${problem}`, { cause })
    }
  })
}

function erasureOf(value: unknown): ExportedErasure {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  const scope = scopes.find((each) => each === given['scope'])
  if (scope === undefined) throw new Error('an erasure has an unknown scope')
  const subject = subjectOf(given, scope)
  return {
    erasure_id: uuidOf(given, 'erasure_id'),
    organization_id: uuidOf(given, 'organization_id'),
    scope,
    subject,
    received_until: timeOf(given, 'received_until'),
    requested_at: timeOf(given, 'requested_at'),
    requested_by: textOf(given, 'requested_by'),
    reason: given['reason'] === null ? null : textOf(given, 'reason')
  }
}

/**
 * Parses the subject. Rejects an invalid ID, because its erasure would fail and be retried forever.
 */
function subjectOf(given: Readonly<Record<string, unknown>>, scope: ErasureScope): string | null {
  if (scope === 'decision') return uuidOf(given, 'subject').toLowerCase()
  const subject = given['subject'] === null ? null : textOf(given, 'subject')
  if ((subject === null) !== (scope === 'organization') || subject === '') {
    throw new Error('the subject of an erasure does not match its scope')
  }
  return subject
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): string {
  const value = given[name]
  if (typeof value === 'string') return value
  throw new Error(`${name} is not a string`)
}

function uuidOf(given: Readonly<Record<string, unknown>>, name: string): string {
  const text = textOf(given, name)
  if (isUuid(text)) return text
  throw new Error(`${name} is not a UUID`)
}

function timeOf(given: Readonly<Record<string, unknown>>, name: string): Date {
  const time = new Date(textOf(given, name))
  if (!Number.isNaN(time.getTime())) return time
  throw new Error(`${name} is not a time`)
}
