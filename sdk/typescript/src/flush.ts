/** Flush: sends all decisions logged before it and returns their counts by result. */
import { countDropped } from './count-decisions.ts'
import { release, takeAll } from './queue.ts'
import { restoreReport } from './drop-report.ts'
import { endFlushes } from './flush-watch.ts'
import { pump } from './sender.ts'
import type { FlushWatch, SenderState } from './sender-state.ts'

export interface FlushResult {
  /** Acknowledged by the gateway. */
  readonly sent: number
  /** Dropped after the gateway rejected them or all retries failed. */
  readonly failed: number
  /** Dropped because the queue was full or the client was closed. */
  readonly dropped: number
  /** Still in memory, waiting or being sent. */
  readonly pending: number
}

/**
 * Never rejects. Unlike the rest of the client, a flush keeps the process alive, because the caller
 * is waiting for it.
 */
export function flush(state: SenderState, timeoutMs: number): Promise<FlushResult> {
  const { queue, report, ledger, platform } = state
  return new Promise((resolve) => {
    const watch: FlushWatch = {
      sequence: ledger.logged,
      deadline: platform.clock() + timeoutMs,
      isForReport: queue.items === 0,
      remaining: queue.items,
      sent: 0,
      failed: 0,
      dropped: 0,
      hasReported: false,
      end
    }
    const cancel = platform.startTimer(end, timeoutMs, true)

    function end(): void {
      cancel()
      if (!state.flushes.delete(watch)) return
      const { sent, failed, dropped, remaining: pending } = watch
      if (pending > 0) reportLeft(state, pending)
      resolve({ sent, failed, dropped, pending })
    }
    state.flushes.add(watch)
    if (queue.items === 0 && report.counts.size === 0) end()
    else pump(state)
  })
}

function reportLeft({ notices }: SenderState, count: number): void {
  const error = new Error(`the flush ended before ${count} decisions were sent`)
  notices.failed('flush', error, { count, hint: 'they stay in memory' })
}

/** Drops all remaining decisions, including those in flight, and returns their number. */
export function dropAll(state: SenderState): number {
  const { queue, flights, report, platform } = state
  const left = takeAll(queue)
  for (const flight of flights) {
    if (flight.isAbandoned) continue
    flight.isAbandoned = true
    for (const entry of flight.batch.entries) release(queue, entry)
    left.push(...flight.batch.entries)
    restoreReport(report, flight.report)
    flight.abort.abort()
  }
  countDropped(state, left, 'shutdown')
  endFlushes(state, platform.clock())
  return left.length
}
