/** Decides when a flush ends: when nothing is left to send, or when waiting longer cannot help. */
import type { FlushWatch, SenderState } from './sender-state.ts'

/** Checks whether a flush has sent its decisions and waits only for the drop report. */
export function needsReport(state: SenderState): boolean {
  if (state.report.counts.size === 0) return false
  for (const flush of state.flushes) if (waitsForReport(state, flush)) return true
  return false
}

function waitsForReport(state: SenderState, flush: FlushWatch): boolean {
  if (flush.remaining > 0 || flush.hasReported || state.report.counts.size === 0) return false
  return flush.isForReport || state.pausedUntil <= state.platform.clock()
}

export function endFlushes(state: SenderState, now: number): void {
  for (const flush of state.flushes) if (isOver(state, flush, now)) flush.end()
}

function isOver(state: SenderState, flush: FlushWatch, now: number): boolean {
  const { flights, pausedUntil } = state
  if (now >= flush.deadline) return true
  const isHopeless = flights.size === 0 && pausedUntil > flush.deadline
  if (flush.remaining > 0 || waitsForReport(state, flush)) return isHopeless
  return !flush.hasReported || !isReporting(state)
}

function isReporting({ flights }: SenderState): boolean {
  for (const { batch } of flights) if (batch.entries.length === 0) return true
  return false
}
