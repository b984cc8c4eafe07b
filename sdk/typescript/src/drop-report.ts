/** Drop report: counts of dropped decisions not yet reported to the gateway. */
import type { DropReason } from './drop-reason.ts'

export interface DropReport {
  readonly counts: Map<DropReason, number>
  /**
   * Agent of the dropped decisions. Undefined before the first drop; null if unknown or if the
   * decisions belong to several agents.
   */
  agentId: string | null | undefined
}

export function createDropReport(): DropReport {
  return { counts: new Map(), agentId: undefined }
}

export function addDrop(report: DropReport, reason: DropReason, agentId: string | undefined): void {
  // A decision removed by `redact` is not a loss.
  if (reason === 'redacted') return
  report.counts.set(reason, (report.counts.get(reason) ?? 0) + 1)
  const agent = agentId ?? null
  report.agentId = report.agentId === undefined || report.agentId === agent ? agent : null
}

/** Returns the JSON of `client_report`; undefined if there is nothing to report. */
export function reportText({ counts, agentId }: DropReport): string | undefined {
  if (counts.size === 0) return undefined
  const whose = agentId === null || agentId === undefined ? {} : { agent_id: agentId }
  return JSON.stringify({ dropped: Object.fromEntries(counts), ...whose })
}

/** Moves the counts into a new report. */
export function takeReport(report: DropReport): DropReport {
  const taken = { counts: new Map(report.counts), agentId: report.agentId }
  report.counts.clear()
  report.agentId = undefined
  return taken
}

/** Adds back the counts of a report that the gateway did not accept. */
export function restoreReport(report: DropReport, taken: DropReport): void {
  if (taken.counts.size === 0) return
  for (const [reason, count] of taken.counts) {
    report.counts.set(reason, (report.counts.get(reason) ?? 0) + count)
  }
  const isSame = report.agentId === undefined || report.agentId === taken.agentId
  report.agentId = isSame ? taken.agentId : null
}
