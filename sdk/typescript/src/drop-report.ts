/** What was dropped and is not yet told to the gateway. */
import type { DropReason } from './drop-reason.ts'

export interface DropReport {
  readonly counts: Map<DropReason, number>
  /** Whose they were; null when they were of several agents, or of none that is known. */
  agentId: string | null | undefined
}

export function createDropReport(): DropReport {
  return { counts: new Map(), agentId: undefined }
}

export function addDrop(report: DropReport, reason: DropReason, agentId: string | undefined): void {
  // What is not meant to be sent is nobody's loss.
  if (reason === 'redacted') return
  report.counts.set(reason, (report.counts.get(reason) ?? 0) + 1)
  const agent = agentId ?? null
  report.agentId = report.agentId === undefined || report.agentId === agent ? agent : null
}

/** The member of a batch that tells it, as JSON; undefined when there is nothing to tell. */
export function reportText({ counts, agentId }: DropReport): string | undefined {
  if (counts.size === 0) return undefined
  const whose = agentId === null || agentId === undefined ? {} : { agent_id: agentId }
  return JSON.stringify({ dropped: Object.fromEntries(counts), ...whose })
}

/** Moves all of it into a new report. */
export function takeReport(report: DropReport): DropReport {
  const taken = { counts: new Map(report.counts), agentId: report.agentId }
  report.counts.clear()
  report.agentId = undefined
  return taken
}

/** Puts back what could not be told. */
export function restoreReport(report: DropReport, taken: DropReport): void {
  if (taken.counts.size === 0) return
  for (const [reason, count] of taken.counts) {
    report.counts.set(reason, (report.counts.get(reason) ?? 0) + count)
  }
  const isSame = report.agentId === undefined || report.agentId === taken.agentId
  report.agentId = isSame ? taken.agentId : null
}
