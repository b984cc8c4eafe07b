/** Every fault of evaluation by its name; what breaks in a storm is a file in rows/. */
import type { EvaluationFault } from './fault.ts'
import type { EvaluationFaultName } from './fault-titles.ts'
import { evaluationKilled } from './rows/evaluation-killed.ts'
import { evaluationRedelivered } from './rows/evaluation-redelivered.ts'
import { judgeAway } from './rows/judge-away.ts'
import { servicesAway } from './rows/services-away.ts'

/** The judge comes last, since what waits for calls would wait for its open circuit. */
const gusts = [evaluationKilled, servicesAway, evaluationRedelivered, judgeAway]

const storm: EvaluationFault = {
  done: (settings) => gusts.map(({ done }) => done(settings)).join('; '),
  inject: async (scene) => {
    let faults = 0
    for (const { inject } of gusts) faults += await inject(scene)
    return faults
  }
}

export const evaluationFaults: Readonly<Record<EvaluationFaultName, EvaluationFault>> = {
  'evaluation-storm': storm
}
