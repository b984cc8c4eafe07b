/** Tells of evaluators that fail: counted each time, logged once a minute for each version. */
import type { Clock } from '../../core/clock.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'

export interface TellFailuresDependencies {
  readonly logger: Logger
  readonly clock: Clock
}

const everyMs = 60_000
const versionsMax = 1000

/** Of what was thrown only the name and the place are logged: a message may quote a decision. */
export function createTellFailures({ logger, clock }: TellFailuresDependencies) {
  const told = createCache<{ readonly at: number }>(versionsMax)

  return function tellFailure(version: EvaluatorVersion, error: Error): void {
    const { evaluator_id, name, kind, version: number } = version
    const key = `${evaluator_id}/${number}`
    const now = clock.now()
    if (now - (told.get(key)?.at ?? Number.NEGATIVE_INFINITY) < everyMs) return
    told.set(key, { at: now })
    const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
    logger.warn(
      { evaluator_id, evaluator: name, kind, version: number, error: error.name, place },
      'an evaluator fails'
    )
  }
}
