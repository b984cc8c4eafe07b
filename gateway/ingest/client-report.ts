/** What an SDK says it dropped before it could send it: counted, so that no loss is silent. */
import { createCheck } from '../../platform/json-schema.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { clientReportSchema } from '../../schemas/index.ts'

interface ClientReport {
  readonly dropped: Readonly<Record<string, number>>
}

/** Counts a report; one that is no report harms nothing and counts as `unreadable`. */
export type TakeClientReport = (report: unknown) => void

/** Reasons that have a count of their own; a label must not hold whatever a caller sends. */
const reasons = new Set(Object.keys(clientReportSchema.properties.dropped.properties))

export function createTakeClientReport({ metrics }: { metrics: Metrics }): TakeClientReport {
  const check = createCheck(clientReportSchema)

  return function takeClientReport(report) {
    if (report === undefined) return
    const isReport = check(report).length === 0
    const dropped = isReport ? (report as ClientReport).dropped : { unreadable: 1 }
    for (const [name, count] of Object.entries(dropped)) {
      const reason = reasons.has(name) || name === 'unreadable' ? name : 'other'
      if (count > 0) metrics.count('sluice_client_dropped_total', { reason }, count)
    }
  }
}
