/** Sender state, shared by the functions that send, flush and settle. */
import { createDropReport } from './drop-report.ts'
import type { DropReport } from './drop-report.ts'
import type { Notices } from './notices.ts'
import type { Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { createQueue } from './queue.ts'
import type { Batch, Queue } from './queue.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'

export interface Flight {
  readonly batch: Batch
  readonly report: DropReport
  readonly startedAt: number
  readonly abort: AbortController
  /** True if the decisions in this flight were dropped, in which case the response is ignored. */
  isAbandoned: boolean
}

/** A flush in progress, with counts of the decisions logged before it. */
export interface FlushWatch {
  /** Sequence of the last decision logged before the flush. */
  readonly sequence: number
  /** In milliseconds of the platform clock. */
  readonly deadline: number
  /** True if the queue was empty when the flush began, so that only a drop report can be sent. */
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
  /** Time at which a partial batch is sent. All times are in milliseconds of the platform clock. */
  dueAt: number
  /** No request starts before this time. */
  pausedUntil: number
  /**
   * True after a response that reports a wrong API key or URL. Requests are then sent one at a
   * time.
   */
  isProbing: boolean
  /** Number of failures since the last success. */
  failures: number
  failedAt: number
  /**
   * Maximum number of decisions in a request, lowered when the gateway rejects a batch as too
   * large.
   */
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
