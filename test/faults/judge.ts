/** Holds the ledger against what is really on the topic. */
import type { Entry, Ledger } from './ledger.ts'
import type { Kind } from './sample.ts'

/** A record of the topic, read by somebody who shares no code with the gateway. */
export interface Found {
  readonly decisionId: string
  readonly fingerprint: string
}

export interface Verdict {
  readonly attempts: number
  /** Answers to requests by status; a batch is one request. */
  readonly answers: Readonly<Record<string, number>>
  /** Attempts that were answered with a 5xx other than 503. */
  readonly serverErrors: number
  /** Decisions, as the rest; a decision is acknowledged when any of its attempts was. */
  readonly decisions: number
  readonly acknowledged: number
  /** Attempts by code. */
  readonly refused: Readonly<Record<string, number>>
  readonly unknown: Readonly<Record<string, number>>
  /** Never settled by a retry, and how many of them are written. */
  readonly leftUnknown: number
  readonly leftUnknownWritten: number
  /** Records beyond the first of a decision. */
  readonly duplicates: number
  readonly missing: readonly string[]
  readonly changed: readonly string[]
  readonly refusedButWritten: readonly string[]
  /** On the topic, and nobody sent it. */
  readonly strangers: readonly string[]
  /** Decisions that ended otherwise than their kind has to, beyond what the fault explains. */
  readonly unexpected: readonly string[]
}

/** How an item of each kind ends where nothing is broken. */
const expectedCodes: Readonly<Record<Kind, readonly string[]>> = {
  good: [''],
  invalid: ['invalid_decision'],
  oversized: ['payload_too_large'],
  foreign: ['api_key_invalid'],
  limited: ['', 'rate_limited']
}

/** Whatever is broken, a busy machine may make a gateway turn a request away. */
const anytime: readonly string[] = ['overloaded']

/** What may be seen beside that, because of what is broken. */
export interface Allowed {
  readonly allows: readonly string[]
  readonly allowsForeign?: readonly string[]
}

export function judge(ledger: Ledger, found: readonly Found[], allowed: Allowed): Verdict {
  const records = Map.groupBy(found, ({ decisionId }) => decisionId)
  const entries = [...ledger.entries]
  const isWritten = ([id]: [string, Entry]): boolean => records.has(id)
  const acknowledged = entries.filter(([, entry]) => has(entry, 'acknowledged'))
  const others = entries.filter(([, entry]) => !has(entry, 'acknowledged'))
  const leftUnknown = others.filter(([, entry]) => has(entry, 'unknown'))
  const refused = others.filter(([, entry]) => !has(entry, 'unknown'))
  return {
    attempts: entries.reduce((sum, [, { outcomes }]) => sum + outcomes.length, 0),
    answers: ledger.answers,
    serverErrors: countServerErrors(entries),
    decisions: entries.length,
    acknowledged: acknowledged.length,
    refused: countCodes(ledger, 'refused'),
    unknown: countCodes(ledger, 'unknown'),
    leftUnknown: leftUnknown.length,
    leftUnknownWritten: leftUnknown.filter(isWritten).length,
    duplicates: found.length - records.size,
    missing: idsOf(acknowledged.filter((entry) => !isWritten(entry))),
    changed: idsOf(entries.filter(([id, entry]) => differs(entry, records.get(id)))),
    refusedButWritten: idsOf(refused.filter(isWritten)),
    strangers: [...records.keys()].filter((id) => !ledger.entries.has(id)),
    unexpected: unexpectedOf(entries, allowed)
  }
}

function has({ outcomes }: Entry, kind: 'acknowledged' | 'unknown'): boolean {
  return outcomes.some((outcome) => outcome.kind === kind)
}

function idsOf(entries: readonly [string, Entry][]): string[] {
  return entries.map(([id]) => id)
}

/** Each copy counts: a duplicate that says something else is a change as well. */
function differs({ fingerprint }: Entry, copies: readonly Found[] = []): boolean {
  return copies.some((copy) => copy.fingerprint !== fingerprint)
}

function countCodes(ledger: Ledger, kind: 'refused' | 'unknown'): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcomes } of ledger.entries.values()) {
    for (const { code } of outcomes.filter((outcome) => outcome.kind === kind)) {
      counts[code] = (counts[code] ?? 0) + 1
    }
  }
  return counts
}

/** 503 says what is away and is no fault of its own; every other 5xx is. */
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
      .map(({ code }) => `${id}: ${kind} ended as ${code === '' ? 'acknowledged' : code}`)
  })
}
