/** The faults of evaluation, in the order in which they happen; apart, since pages need them too. */
export const evaluationFaultTitles = {
  'evaluation-storm': 'evaluation, its judge and its services in turn'
} as const

export type EvaluationFaultName = keyof typeof evaluationFaultTitles

/** As `--only` takes them. */
export const evaluationFaultNames = Object.keys(evaluationFaultTitles) as EvaluationFaultName[]
