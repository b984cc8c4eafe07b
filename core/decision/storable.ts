/** What a decision or evaluation must fulfil beyond its Avro schema before it may be stored. */
import type { Decision } from './decision.ts'
import type { Evaluation, PackedRun } from '../evaluation/evaluation.ts'
import { kindListOf } from '../evaluation/packed-outcome.ts'
import { isUuid } from '../ids/ids.ts'

/**
 * Null when the decision can be stored and read back, or what is wrong with it.
 * Anyone may write to a topic; what the gateway wrote always passes.
 */
export function decisionObjection(decision: Decision): string | null {
  if (!isId(decision.decision_id)) return 'decision_id is no UUID in lower case'
  if (!isId(decision.organization_id)) return 'organization_id is no UUID in lower case'
  if (!isTime(decision.received_at)) return 'received_at is no time'
  if (!isJson(decision.input)) return 'input is not JSON text'
  if (decision.metadata !== null && !isJson(decision.metadata)) return 'metadata is not JSON text'
  return tooLongOf(decision)
}

/** Code points that the contract allows; a UTF-16 text has at most twice as many units. */
const charactersMax = { agent_id: 255, session_id: 1000, domain: 100, sdk_version: 100 } as const
type BoundedName = keyof typeof charactersMax

/** Says which text is longer than any that the gateway accepts: it would be a key or a filter. */
function tooLongOf(value: Partial<Record<BoundedName, string | null>>): string | null {
  const names = Object.keys(charactersMax) as BoundedName[]
  const tooLong = names.find((name) => (value[name]?.length ?? 0) > 2 * charactersMax[name])
  return tooLong === undefined ? null : `${tooLong} is longer than the contract allows`
}

/** Null when the evaluation can be stored, or what is wrong with it. */
export function evaluationObjection(evaluation: Evaluation): string | null {
  if (!isId(evaluation.decision_id)) return 'decision_id is no UUID in lower case'
  if (!isId(evaluation.organization_id)) return 'organization_id is no UUID in lower case'
  if (!isTime(evaluation.evaluated_at)) return 'evaluated_at is no time'
  if (!isTime(evaluation.received_at)) return 'received_at is no time'
  if (!evaluation.later_runs.every(({ run_id }) => isId(run_id)))
    return 'a run_id is no UUID in lower case'
  if (!evaluation.runs.every(isPackable)) return unpackable
  if (!kindListOf(evaluation.runs).areDistinct)
    return 'two runs in `runs` have the same rule and evaluator'
  return tooLongOf(evaluation)
}

const unpackable = 'a run in `runs` has an invalid status, score name, duration or number'

/** Index entries cannot hold longer names. Evaluators have shorter ones. */
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
 * The contract says lower case, and so does every answer of the store: identities are compared as
 * text, and one in capitals would be claimed and then taken for a duplicate of itself.
 */
function isId(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase()
}

/** A four-digit year: beyond it the textual form changes. */
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
