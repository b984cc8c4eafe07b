/** Ids of runs and scores: derived, so that the same work has the same name wherever it is done. */
import { hash } from 'node:crypto'
import { hyphenated } from './ids.ts'
import { xorIds } from './xor-ids.ts'

/** What makes a run that run and no other. */
export interface RunOrigin {
  readonly organization_id: string
  readonly decision_id: string
  readonly rule_id: string
  readonly evaluator_id: string
  readonly version: number
  /** 0, and one more for each replay. */
  readonly generation: number
}

/**
 * The id of the decision XOR a mask of the rest. An organization has few masks, and XOR with each
 * of them leads to one possible decision, so a run's decision is found without an index. If this
 * changed, a redelivered decision would be evaluated again.
 */
export function runIdOf({ decision_id, ...origin }: RunOrigin): string {
  return xorIds(decision_id, runMaskOf(origin))
}

export function runMaskOf(origin: Omit<RunOrigin, 'decision_id'>): string {
  const { organization_id, rule_id, evaluator_id, version, generation } = origin
  return maskOf(`${organization_id}/${rule_id}/${evaluator_id}/${version}/${generation}`)
}

/** @param runId the id of a run; with the mask of a run, the result is the mask of the score */
export function scoreIdOf(runId: string, name: string): string {
  return xorIds(runId, maskOf(`score/${name}`))
}

/** A bound on memory: evaluators give few names, but callers choose those of pushed scores. */
const knownMax = 50_000
const known = new Map<string, string>()

/** 122 bits of SHA-256. Version and variant are 0, so the result has those of the decision. */
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
