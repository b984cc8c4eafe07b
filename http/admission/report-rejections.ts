/** Logs why requests are rejected: because a service does not respond, or because a caller exceeds
 * its share. Logs each code at most once every ten seconds, with the number of omitted rejections.
 */
import type { Problem, ProblemCode } from '../../core/problem.ts'
import { rootMessageOf } from '../../core/root-message.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { ShareFullError } from './fair-share.ts'

/**
 * Errors caused by a service that the gateway depends on. All others are caused by the caller or by
 * the gateway itself.
 */
const reported: ReadonlySet<ProblemCode> = new Set([
  'authentication_unavailable',
  'log_unavailable',
  'schema_unavailable',
  'store_unavailable'
] as const)

const everyMs = 10_000

export type ReportRejection = (problem: Problem, requestId: string) => void

interface ReportRejectionsDependencies {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'count'>
  /** Monotonic time in milliseconds. */
  readonly elapsedMs: () => number
}

/**
 * Logs the root cause of a rejection, for example the address that refused a connection. Logs
 * nothing about the request except its id.
 */
export function createReportRejections(
  dependencies: ReportRejectionsDependencies
): ReportRejection {
  const { logger, metrics, elapsedMs } = dependencies
  const codes = new Map<ProblemCode, { saidAt: number; leftOut: number }>()

  return function reportRejection(problem: Problem, requestId: string): void {
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
    logger.warn(fields, 'requests rejected')
    codes.set(code, { saidAt: now, leftOut: 0 })
  }
}
