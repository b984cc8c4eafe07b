/** Sends everything that was logged before, and tells what became of it. */
import { countDropped } from './account.ts'
import { release, takeAll } from './queue.ts'
import { restoreReport } from './drop-report.ts'
import { endFlushes } from './flush-watch.ts'
import { pump } from './sender.ts'
import type { FlushWatch, SenderState } from './sender-state.ts'

export interface FlushResult {
  /** Acknowledged by the gateway. */
  readonly sent: number
  /** Given up after they were offered to the gateway. */
  readonly failed: number
  /** Given up without being offered. */
  readonly dropped: number
  /** Still here. */
  readonly pending: number
}

/** Never rejects. Unlike the rest of a client it keeps the process alive: somebody waits. */
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
      if (pending > 0) tellLeft(state, pending)
      resolve({ sent, failed, dropped, pending })
    }
    state.flushes.add(watch)
    if (queue.items === 0 && report.counts.size === 0) end()
    else pump(state)
  })
}

function tellLeft({ notices }: SenderState, count: number): void {
  const error = new Error(`a flush ended before ${count} decisions were sent`)
  notices.failed('flush', error, { count, hint: 'they wait in memory' })
}

/** Drops all that is left, on its way or not, and tells how many decisions that were. */
export function giveUpAll(state: SenderState): number {
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
