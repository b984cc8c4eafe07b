/** Titles of the evaluation faults. docs.test.ts imports this file, so it must not depend on the
 * faults themselves.
 */
export const evaluationFaultTitles = {
  'evaluation-storm': 'evaluation, its judge and its services in turn'
} as const

export type EvaluationFaultName = keyof typeof evaluationFaultTitles

/** Names that `--only` accepts. */
export const evaluationFaultNames = Object.keys(evaluationFaultTitles) as EvaluationFaultName[]
