/** Ids of runs and scores: derived, so that the same work has the same name wherever it is done. */
import { createUuidv5, uuidv5 } from './ids.ts'

/** Namespace of run ids. Were it to change, a redelivered decision would be evaluated anew. */
const nameRun = createUuidv5('5d1d3b70-3a35-5c0c-8e0b-6b2b8f0c9a41')

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

export function runIdOf(origin: RunOrigin): string {
  const { organization_id, decision_id, rule_id, evaluator_id, version, generation } = origin
  const decision = `${organization_id}/${decision_id}`
  return nameRun(`${decision}/${rule_id}/${evaluator_id}/${version}/${generation}`)
}

export function scoreIdOf(runId: string, name: string): string {
  return uuidv5(runId, name)
}
