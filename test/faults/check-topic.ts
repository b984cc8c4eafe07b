/** Compares the responses that clients got with the records on the topic. */
import type { Entry, Ledger } from './ledger.ts'
import type { Kind } from './sample.ts'

/** Decision on the topic, decoded without Sluice's code. */
export interface FoundDecision {
  readonly decisionId: string
  readonly fingerprint: string
}

export interface TopicReport {
  readonly attempts: number
  /** Number of responses by status. A batch counts as one response. */
  readonly answers: Readonly<Record<string, number>>
  /** Number of attempts that got a 5xx response other than 503. */
  readonly serverErrors: number
  /**
   * Number of distinct decisions sent. A decision counts as acknowledged if any attempt was
   * acknowledged.
   */
  readonly decisions: number
  readonly acknowledged: number
  /** Number of rejected attempts by problem code. */
  readonly rejected: Readonly<Record<string, number>>
  readonly unknown: Readonly<Record<string, number>>
  /**
   * Number of decisions that may or may not be on the topic: at least one attempt is `unknown`, and
   * none is acknowledged. `leftUnknownWritten` is the number of those that are on the topic.
   */
  readonly leftUnknown: number
  readonly leftUnknownWritten: number
  /** Number of records that repeat a decision. */
  readonly duplicates: number
  readonly missing: readonly string[]
  readonly changed: readonly string[]
  readonly rejectedButWritten: readonly string[]
  readonly neverSent: readonly string[]
  /** Attempts with a problem code that neither the kind of the decision nor the fault explains. */
  readonly unexpected: readonly string[]
}

/** Expected problem codes by kind of decision. An empty string means acknowledged. */
const expectedCodes: Readonly<Record<Kind, readonly string[]>> = {
  good: [''],
  invalid: ['invalid_decision'],
  oversized: ['payload_too_large'],
  foreign: ['api_key_invalid'],
  limited: ['', 'rate_limited']
}

/** Codes that an overloaded test machine can cause. */
const anytime: readonly string[] = ['overloaded']

/** Additional codes that the fault can cause. */
export interface Allowed {
  readonly allows: readonly string[]
  readonly allowsForeign?: readonly string[]
}

export function checkTopic(
  ledger: Ledger,
  found: readonly FoundDecision[],
  allowed: Allowed
): TopicReport {
  const records = Map.groupBy(found, ({ decisionId }) => decisionId)
  const entries = [...ledger.entries]
  const isWritten = ([id]: [string, Entry]): boolean => records.has(id)
  const acknowledged = entries.filter(([, entry]) => has(entry, 'acknowledged'))
  const others = entries.filter(([, entry]) => !has(entry, 'acknowledged'))
  const leftUnknown = others.filter(([, entry]) => has(entry, 'unknown'))
  const rejected = others.filter(([, entry]) => !has(entry, 'unknown'))
  return {
    attempts: entries.reduce((sum, [, { outcomes }]) => sum + outcomes.length, 0),
    answers: ledger.answers,
    serverErrors: countServerErrors(entries),
    decisions: entries.length,
    acknowledged: acknowledged.length,
    rejected: countCodes(ledger, 'rejected'),
    unknown: countCodes(ledger, 'unknown'),
    leftUnknown: leftUnknown.length,
    leftUnknownWritten: leftUnknown.filter(isWritten).length,
    duplicates: found.length - records.size,
    missing: idsOf(acknowledged.filter((entry) => !isWritten(entry))),
    changed: idsOf(entries.filter(([id, entry]) => differs(entry, records.get(id)))),
    rejectedButWritten: idsOf(rejected.filter(isWritten)),
    neverSent: [...records.keys()].filter((id) => !ledger.entries.has(id)),
    unexpected: unexpectedOf(entries, allowed)
  }
}

function has({ outcomes }: Entry, kind: 'acknowledged' | 'unknown'): boolean {
  return outcomes.some((outcome) => outcome.kind === kind)
}

function idsOf(entries: readonly [string, Entry][]): string[] {
  return entries.map(([id]) => id)
}

/** Compares all copies, because a duplicate record with different content is a violation too. */
function differs({ fingerprint }: Entry, copies: readonly FoundDecision[] = []): boolean {
  return copies.some((copy) => copy.fingerprint !== fingerprint)
}

function countCodes(ledger: Ledger, kind: 'rejected' | 'unknown'): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcomes } of ledger.entries.values()) {
    for (const { code } of outcomes.filter((outcome) => outcome.kind === kind)) {
      counts[code] = (counts[code] ?? 0) + 1
    }
  }
  return counts
}

/**
 * Counts attempts with a 5xx status. 503 is excluded, because it is the documented response to an
 * outage.
 */
function countServerErrors(entries: readonly [string, Entry][]): number {
  const outcomes = entries.flatMap(([, entry]) => entry.outcomes)
  return outcomes.filter(({ status }) => (status ?? 0) >= 500 && status !== 503).length
}

function unexpectedOf(
  entries: readonly [string, Entry][],
  { allows, allowsForeign = [] }: Allowed
): string[] {
  return entries.flatMap(([id, { kind, outcomes }]) => {
    const explained = [...anytime, ...allows, ...(kind === 'foreign' ? allowsForeign : [])]
    const fine = [...expectedCodes[kind], ...explained]
    return outcomes
      .filter(({ code }) => !fine.includes(code))
      .map(({ code }) => `${id}: ${kind} got ${code === '' ? 'acknowledged' : code}`)
  })
}
