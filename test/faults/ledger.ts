/** Records every attempt that a client makes, and its outcome. */
import type { Kind, Sample } from './sample.ts'

/**
 * Outcome of an attempt. `unknown` means that the decision may or may not be on the topic: the
 * connection broke before a usable response, a batch response had no results, Kafka did not
 * acknowledge the write in time, or the gateway reported an internal error. A retry with the same
 * id is then safe. After any other error, including a failure to connect, the decision must not be
 * on the topic.
 */
export interface AttemptOutcome {
  readonly kind: 'acknowledged' | 'rejected' | 'unknown'
  /** Status of this decision. In a batch, the status of its item. */
  readonly status: number | null
  /** Problem code, `broken` or `not_connected`; empty if acknowledged. */
  readonly code: string
}

export interface Entry {
  readonly kind: Kind
  readonly fingerprint: string
  readonly outcomes: AttemptOutcome[]
}

export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>
  /** Number of responses by status. `none` counts requests without a response. */
  readonly answers: Readonly<Record<string, number>>
  /** Descriptions of malformed responses. */
  readonly complaints: readonly string[]
  record(sample: Sample, outcome: AttemptOutcome): void
  /** Counts a response by its status. Null means that there was none. */
  answered(status: number | null): void
  complain(sentence: string): void
  acknowledged(): number
  /** Returns the longest time between two acknowledgements. */
  longestPauseMs(): number
  /** Returns the number of attempts with the outcome `unknown`. */
  unknown(): number
}

export type AttemptLog = Pick<Ledger, 'record' | 'answered' | 'complain'>

/** Maximum number of complaints to keep. The same malformed response can occur many times. */
const complaintsMax = 20

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  const complaints: string[] = []
  const answers: Record<string, number> = {}
  const pause = { since: NaN, longestMs: 0 }
  const counts = { acknowledged: 0, rejected: 0, unknown: 0 }

  function endPause(): void {
    const now = performance.now()
    // `since` is NaN before the first acknowledgement, so the first one does not end a pause.
    if (now - pause.since > pause.longestMs) pause.longestMs = now - pause.since
    pause.since = now
  }

  return {
    entries,
    answers,
    complaints,
    record: ({ decisionId, kind, fingerprint }, outcome) => {
      const entry = entries.get(decisionId) ?? { kind, fingerprint, outcomes: [] }
      entries.set(decisionId, entry)
      entry.outcomes.push(outcome)
      counts[outcome.kind] += 1
      if (outcome.kind === 'acknowledged') endPause()
    },
    answered: (status) => {
      const name = status === null ? 'none' : String(status)
      answers[name] = (answers[name] ?? 0) + 1
    },
    complain: (sentence) => {
      if (complaints.length < complaintsMax) complaints.push(sentence)
    },
    longestPauseMs: () => pause.longestMs,
    acknowledged: () => counts.acknowledged,
    unknown: () => counts.unknown
  }
}
