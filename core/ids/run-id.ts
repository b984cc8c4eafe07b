/** Derives the ids of runs and scores from the fields that identify them, so that repeated work
 * gets the same ids.
 */
import { hash } from 'node:crypto'
import { hyphenated } from './ids.ts'
import { xorIds } from './xor-ids.ts'

/** The fields that identify a run. */
interface RunOrigin {
  readonly organization_id: string
  readonly decision_id: string
  readonly rule_id: string
  readonly evaluator_id: string
  readonly version: number
  /** 0 for the first run; each replay adds one. */
  readonly generation: number
}

/**
 * Returns the decision id XOR a mask of the other fields. The packed runs of an organization have
 * few masks, and the XOR of a run id with each of them yields the possible decisions, so no index
 * from packed runs to decisions is needed. Do not change this computation: redelivered decisions
 * would be evaluated again.
 */
export function runIdOf({ decision_id, ...origin }: RunOrigin): string {
  return xorIds(decision_id, runMaskOf(origin))
}

export function runMaskOf(origin: Omit<RunOrigin, 'decision_id'>): string {
  const { organization_id, rule_id, evaluator_id, version, generation } = origin
  return maskOf(`${organization_id}/${rule_id}/${evaluator_id}/${version}/${generation}`)
}

/** @param runId the id or the mask of a run; for a mask, the result is the mask of the score id */
export function scoreIdOf(runId: string, name: string): string {
  return xorIds(runId, maskOf(`score/${name}`))
}

/**
 * Maximum number of cached masks, to bound memory. Planned runs share few masks, but each pushed
 * score has its own.
 */
const knownMax = 50_000
const known = new Map<string, string>()

/**
 * Returns 122 bits of the SHA-256 of the name. The version and variant bits are 0, so that XOR
 * keeps those of the decision id.
 */
function maskOf(name: string): string {
  const before = known.get(name)
  if (before !== undefined) return before
  const bytes = hash('sha256', name, 'buffer')
  bytes.writeUInt8(bytes.readUInt8(6) & 0x0f, 6)
  bytes.writeUInt8(bytes.readUInt8(8) & 0x3f, 8)
  const hex = bytes.toString('hex', 0, 16)
  const mask = hyphenated(hex)
  if (known.size >= knownMax) known.clear()
  known.set(name, mask)
  return mask
}
