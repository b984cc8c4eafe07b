/** Ids of runs and scores: derived, so that the same work has the same name wherever it is done. */
import { createHash } from 'node:crypto'
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
 * The decision's id, XOR a mask of the rest: whoever knows the few masks of an organization finds
 * the decision of a run without an index. Were it to change, a redelivered decision would be
 * evaluated anew.
 */
export function runIdOf({ decision_id, ...origin }: RunOrigin): string {
  return xorIds(decision_id, runMaskOf(origin))
}

export function runMaskOf(origin: Omit<RunOrigin, 'decision_id'>): string {
  const { organization_id, rule_id, evaluator_id, version, generation } = origin
  return maskOf(`${organization_id}/${rule_id}/${evaluator_id}/${version}/${generation}`)
}

/** @param runId of the run, or its mask: then the mask of the score */
export function scoreIdOf(runId: string, name: string): string {
  return xorIds(runId, maskOf(`score/${name}`))
}

/** Most names are those of few evaluators; those that callers choose are not to fill the memory. */
const knownMax = 50_000
const known = new Map<string, string>()

/** 122 bits of SHA-256. Version and variant are 0: what is XORed keeps those of the decision. */
function maskOf(name: string): string {
  const before = known.get(name)
  if (before !== undefined) return before
  const bytes = createHash('sha256').update(name).digest()
  bytes.writeUInt8(bytes.readUInt8(6) & 0x0f, 6)
  bytes.writeUInt8(bytes.readUInt8(8) & 0x3f, 8)
  const hex = bytes.toString('hex', 0, 16)
  const mask = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)].join('-')
  if (known.size >= knownMax) known.clear()
  known.set(name, `${mask}-${hex.slice(20)}`)
  return `${mask}-${hex.slice(20)}`
}
