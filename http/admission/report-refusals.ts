/** Logs why requests are refused, at most every ten seconds for each code, with their number: a
 *  service does not answer, or a caller asks for too much. */
import type { Problem, ProblemCode } from '../../core/problem.ts'
import { rootMessageOf } from '../../core/root-message.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { ShareFullError } from './fair-share.ts'

/** Refusals that are the fault of a service behind us; all others are the caller's, or ours. */
const reported: ReadonlySet<ProblemCode> = new Set([
  'authentication_unavailable',
  'log_unavailable',
  'schema_unavailable',
  'store_unavailable'
] as const)

const everyMs = 10_000

export type ReportRefusal = (problem: Problem, requestId: string) => void

export interface ReportRefusalsDependencies {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'count'>
  /** Milliseconds that never go back. */
  readonly elapsedMs: () => number
}

/** The causes carry addresses and reasons; of a request nothing is said but its id. */
export function createReportRefusals(dependencies: ReportRefusalsDependencies): ReportRefusal {
  const { logger, metrics, elapsedMs } = dependencies
  const codes = new Map<ProblemCode, { saidAt: number; leftOut: number }>()

  return function reportRefusal(problem: Problem, requestId: string): void {
    const { code } = problem
    const isShareFull = problem.cause instanceof ShareFullError
    if (isShareFull) metrics.count('sluice_shed_total', { reason: 'share' })
    if (!isShareFull && !reported.has(code)) return
    const now = elapsedMs()
    const known = codes.get(code)
    if (known !== undefined && now - known.saidAt < everyMs) {
      known.leftOut += 1
      return
    }
    const reason = problem.cause === undefined ? problem.message : rootMessageOf(problem.cause)
    const fields = { code, reason, request_id: requestId, left_out: known?.leftOut ?? 0 }
    logger.warn(fields, 'requests are refused')
    codes.set(code, { saidAt: now, leftOut: 0 })
  }
}
