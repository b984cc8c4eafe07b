/** Ledger: counts a client's decisions by result. */
import { dropReasons } from './drop-reason.ts'
import type { DropReason } from './drop-reason.ts'
import type { Queue } from './queue.ts'

export interface Stats {
  readonly logged: number
  readonly sent: number
  readonly dropped: Readonly<Record<DropReason, number>>
  readonly sampledOut: number
  readonly pending: number
  readonly pendingBytes: number
  /** Number of retries, summed over all decisions. */
  readonly retried: number
  /** Number of decisions with changed values, which `metadata.sdk_changes` lists. */
  readonly changed: number
  readonly requests: number
  readonly lastError: string | null
  /** ISO 8601 in UTC; null before the first success. */
  readonly lastSuccessAt: string | null
}

export interface Ledger {
  logged: number
  sent: number
  readonly dropped: Record<DropReason, number>
  sampledOut: number
  retried: number
  changed: number
  requests: number
  lastError: string | null
  /** Unix time in milliseconds. */
  lastSuccessAt: number | null
}

export function createLedger(): Ledger {
  const none = Object.fromEntries(dropReasons.map((reason) => [reason, 0]))
  const counts = { logged: 0, sent: 0, sampledOut: 0, retried: 0, changed: 0, requests: 0 }
  const dropped = none as Record<DropReason, number>
  return { ...counts, dropped, lastError: null, lastSuccessAt: null }
}

/** `logged` always equals `sent` + `sampledOut` + `pending` + the sum of `dropped`. */
export function statsOf(ledger: Ledger, { items, bytes }: Pick<Queue, 'items' | 'bytes'>): Stats {
  const { lastSuccessAt, dropped } = ledger
  return {
    ...ledger,
    dropped: { ...dropped },
    pending: items,
    pendingBytes: bytes,
    lastSuccessAt: lastSuccessAt === null ? null : new Date(lastSuccessAt).toISOString()
  }
}
