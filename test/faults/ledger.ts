/** What clients sent and what they were told, attempt by attempt: one side of the comparison. */
import type { Kind, Sample } from './sample.ts'

/**
 * `unknown` is the caller's word for it: the answer says that the log did not acknowledge in time,
 * or there was no answer. Such a decision may be on the topic or not; a retry with the same id
 * settles it. Every other refusal is definite: the decision is not written.
 */
export interface Outcome {
  readonly kind: 'acknowledged' | 'refused' | 'unknown'
  /** Of this decision: of its item where it was one of a batch. */
  readonly status: number | null
  /** The code of the refusal, `broken` or `not_connected`; empty when acknowledged. */
  readonly code: string
}

export interface Entry {
  readonly kind: Kind
  readonly fingerprint: string
  readonly outcomes: Outcome[]
}

export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>
  /** Answers to requests by their status, `none` for those that had no answer. */
  readonly answers: Readonly<Record<string, number>>
  /** Answers whose form was wrong, in sentences. */
  readonly complaints: readonly string[]
  record(sample: Sample, outcome: Outcome): void
  /** Counts the answer to one request; null is none. */
  answered(status: number | null): void
  complain(sentence: string): void
  /** How many attempts have been acknowledged so far. */
  acknowledged(): number
  /** The longest time between two acknowledgements. */
  longestPauseMs(): number
  /** How many attempts ended with nobody knowing. */
  unknown(): number
}

/** What a client needs of a ledger. */
export type AttemptLog = Pick<Ledger, 'record' | 'answered' | 'complain'>

/** A refusal that says the same of a hundred answers is worth reading once. */
const complaintsMax = 20

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  const complaints: string[] = []
  const answers: Record<string, number> = {}
  const pause = { since: NaN, longestMs: 0 }
  const counts = { acknowledged: 0, refused: 0, unknown: 0 }

  function endPause(): void {
    const now = performance.now()
    // Before the first there is nothing to compare with.
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
