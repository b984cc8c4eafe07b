/** Checks decisions and evaluations, before they are stored, for errors that their Avro schemas
 * cannot rule out.
 */
import type { Decision } from './decision.ts'
import type { Evaluation, PackedRun } from '../evaluation/evaluation.ts'
import { kindListOf } from '../evaluation/packed-outcome.ts'
import { isUuid } from '../ids/ids.ts'

/**
 * Returns why the decision cannot be stored, or null if it can. Decisions from the gateway always
 * pass, but other clients can also write to the topic.
 */
export function decisionObjection(decision: Decision): string | null {
  if (!isId(decision.decision_id)) return 'decision_id is not a lowercase UUID'
  if (!isId(decision.organization_id)) return 'organization_id is not a lowercase UUID'
  if (!isTime(decision.received_at)) return 'received_at is not a valid time'
  if (!isJson(decision.input)) return 'input is not JSON text'
  if (decision.metadata !== null && !isJson(decision.metadata)) return 'metadata is not JSON text'
  return nameObjection(decision)
}

/**
 * Maximum lengths in code points, from the contract. A valid string has at most twice as many
 * UTF-16 units; `nameObjection` rejects strings with more.
 */
const charactersMax = { agent_id: 255, session_id: 1000, domain: 100, sdk_version: 100 } as const
type BoundedName = keyof typeof charactersMax
const boundedNames = Object.keys(charactersMax) as BoundedName[]

/**
 * Returns a message that names the first field that cannot be used as a key or filter because it is
 * too long, or that Postgres cannot store because it contains U+0000. Returns null if all can.
 */
function nameObjection(value: Partial<Record<BoundedName, string | null>>): string | null {
  for (const name of boundedNames) {
    const text = value[name] ?? ''
    if (text.length > 2 * charactersMax[name]) return `${name} is longer than the contract allows`
    if (text.includes('\0')) return `${name} contains U+0000`
  }
  return null
}

/** Returns why the evaluation cannot be stored, or null if it can. */
export function evaluationObjection(evaluation: Evaluation): string | null {
  if (!isId(evaluation.decision_id)) return 'decision_id is not a lowercase UUID'
  if (!isId(evaluation.organization_id)) return 'organization_id is not a lowercase UUID'
  if (!isTime(evaluation.evaluated_at)) return 'evaluated_at is not a valid time'
  if (!isTime(evaluation.received_at)) return 'received_at is not a valid time'
  if (!evaluation.later_runs.every(({ run_id }) => isId(run_id)))
    return 'a run_id is not a lowercase UUID'
  if (!evaluation.runs.every(isPackable)) return unpackable
  if (!kindListOf(evaluation.runs).areDistinct)
    return 'two runs in `runs` have the same rule and evaluator'
  return nameObjection(evaluation)
}

const unpackable = 'a run in `runs` has an invalid status, score name, duration or number'

/**
 * Maximum length in UTF-16 units of a score name that fits in an index entry. Names from evaluators
 * are shorter.
 */
const scoreNameUnitsMax = 512
const packedStatuses = new Set(['succeeded', 'failed', 'skipped'])

function isPackable({ kind, status, duration_us, value, confidence }: PackedRun): boolean {
  const { name, threshold, range_min, range_max } = kind
  const numbers = [value, confidence, threshold, range_min, range_max]
  return (
    packedStatuses.has(status) &&
    (status === 'succeeded') === (name !== null) &&
    (name?.length ?? 0) <= scoreNameUnitsMax &&
    (duration_us ?? 0) >= 0 &&
    numbers.every((number) => number === null || Number.isFinite(number))
  )
}

/**
 * Checks for a lowercase UUID, as the contract requires. Postgres returns UUIDs in lower case and
 * identities are compared as text, so an uppercase id would never match its stored identity.
 */
function isId(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase()
}

/** Checks that the year is from 1970 to 9999. Later years are formatted differently. */
function isTime(ms: number): boolean {
  return ms >= 0 && ms < 253_402_300_800_000
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
