/** What a sender knows; the functions around it share this one record. */
import { createDropReport } from './drop-report.ts'
import type { DropReport } from './drop-report.ts'
import type { Notices } from './notices.ts'
import type { Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { createQueue } from './queue.ts'
import type { Batch, Queue } from './queue.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'

/** A request that has no answer yet. */
export interface Flight {
  readonly batch: Batch
  readonly report: DropReport
  readonly startedAt: number
  readonly abort: AbortController
  /** Its decisions were given up: whatever the answer is, it comes too late. */
  isAbandoned: boolean
}

/** A flush that has not ended; it counts decisions that were logged before it. */
export interface FlushWatch {
  /** The last of them. */
  readonly sequence: number
  /** On the clock of the platform. */
  readonly deadline: number
  /** Whether there was nothing but a report to send. */
  readonly isForReport: boolean
  remaining: number
  sent: number
  failed: number
  dropped: number
  hasReported: boolean
  end(): void
}

export interface SenderState {
  readonly settings: Settings & { readonly apiKey: string; readonly baseUrl: string }
  readonly platform: Platform
  readonly notices: Notices
  readonly newId: () => string
  readonly isImmediate: boolean
  readonly queue: Queue
  readonly ledger: Ledger
  readonly report: DropReport
  readonly flights: Set<Flight>
  readonly flushes: Set<FlushWatch>
  /** When what waits has waited long enough; the clock of the platform, as all that follow. */
  dueAt: number
  /** Nothing is sent before. */
  pausedUntil: number
  /** The last answer said that the key or the address is wrong: one request tries again. */
  isProbing: boolean
  /** Failures since the last success, and when the last one was. */
  failures: number
  failedAt: number
  /** Items of one request, as a gateway that found batches too large would have them. */
  sizeLimit: number
  timerAt: number
  cancelTimer: (() => void) | undefined
}

export type SenderDependencies = Pick<
  SenderState,
  'settings' | 'platform' | 'notices' | 'newId' | 'isImmediate'
>

export function createSenderState(dependencies: SenderDependencies): SenderState {
  const { settings } = dependencies
  return {
    ...dependencies,
    queue: createQueue(settings),
    ledger: createLedger(),
    report: createDropReport(),
    flights: new Set(),
    flushes: new Set(),
    dueAt: 0,
    pausedUntil: 0,
    isProbing: false,
    failures: 0,
    failedAt: -Infinity,
    sizeLimit: settings.batchMaxItems,
    timerAt: 0,
    cancelTimer: undefined
  }
}
