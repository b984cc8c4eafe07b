/** Maps names to evaluation faults. There is only one, which injects all the faults in
 * rows/ in turn.
 */
import type { EvaluationFault } from './fault.ts'
import type { EvaluationFaultName } from './fault-titles.ts'
import { evaluationKilled } from './rows/evaluation-killed.ts'
import { evaluationRedelivered } from './rows/evaluation-redelivered.ts'
import { judgeUnavailable } from './rows/judge-unavailable.ts'
import { servicesKilled } from './rows/services-killed.ts'

/**
 * The judge fault is last, because it opens the circuit breaker, which would delay the runs of a
 * later fault.
 */
const parts = [evaluationKilled, servicesKilled, evaluationRedelivered, judgeUnavailable]

const storm: EvaluationFault = {
  done: (settings) => parts.map(({ done }) => done(settings)).join('; '),
  inject: async (scene) => {
    let faults = 0
    for (const { inject } of parts) faults += await inject(scene)
    return faults
  }
}

export const evaluationFaults: Readonly<Record<EvaluationFaultName, EvaluationFault>> = {
  'evaluation-storm': storm
}
