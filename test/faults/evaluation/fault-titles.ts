/** The faults of evaluation; apart from them, since pages need the titles too. */
export const evaluationFaultTitles = {
  'evaluation-storm': 'evaluation, its judge and its services in turn'
} as const

export type EvaluationFaultName = keyof typeof evaluationFaultTitles

/** As `--only` takes them. */
export const evaluationFaultNames = Object.keys(evaluationFaultTitles) as EvaluationFaultName[]
