/** Logs failing evaluators, at most once a minute per version. */
import type { Clock } from '../../core/clock.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'

interface ReportFailuresDependencies {
  readonly logger: Logger
  readonly clock: Clock
}

const everyMs = 60_000
const versionsMax = 1000

/** Logs only the name and stack location of an error, because the message may quote a decision. */
export function createReportFailures({ logger, clock }: ReportFailuresDependencies) {
  const loggedAt = createCache<{ readonly at: number }>(versionsMax)

  return function reportFailure(version: EvaluatorVersion, error: Error): void {
    const { evaluator_id, name, kind, version: number } = version
    const key = `${evaluator_id}/${number}`
    const now = clock.now()
    if (now - (loggedAt.get(key)?.at ?? Number.NEGATIVE_INFINITY) < everyMs) return
    loggedAt.set(key, { at: now })
    const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
    logger.warn(
      { evaluator_id, evaluator: name, kind, version: number, error: error.name, place },
      'evaluator failed'
    )
  }
}
