/** Tests that comparing a ledger with the topic reports every violation, and nothing else. */
import { describe, expect, test } from '@jest/globals'
import { checkTopic } from '../../faults/check-topic.ts'
import type { FoundDecision, TopicReport } from '../../faults/check-topic.ts'
import { createLedger } from '../../faults/ledger.ts'
import type { Ledger, AttemptOutcome } from '../../faults/ledger.ts'
import type { Kind } from '../../faults/sample.ts'

const acknowledged: AttemptOutcome = { kind: 'acknowledged', status: 202, code: '' }
const unanswered: AttemptOutcome = { kind: 'unknown', status: 503, code: 'log_unavailable' }
const overloaded: AttemptOutcome = { kind: 'rejected', status: 503, code: 'overloaded' }
const invalid: AttemptOutcome = { kind: 'rejected', status: 422, code: 'invalid_decision' }
const broken: AttemptOutcome = { kind: 'unknown', status: null, code: 'broken' }
const internal: AttemptOutcome = { kind: 'unknown', status: 500, code: 'internal_error' }

/** Builds a ledger from the attempt outcomes of each id. */
function ledgerOf(
  attempts: Record<string, readonly AttemptOutcome[]>,
  kind: Kind = 'good'
): Ledger {
  const ledger = createLedger()
  for (const [decisionId, outcomes] of Object.entries(attempts)) {
    const sample = { decisionId, kind, text: '', fingerprint: `of ${decisionId}` }
    outcomes.forEach((outcome) => ledger.record(sample, outcome))
  }
  return ledger
}

function topicOf(...ids: string[]): FoundDecision[] {
  return ids.map((decisionId) => ({ decisionId, fingerprint: `of ${decisionId}` }))
}

const allowed = { allows: ['log_unavailable', 'overloaded', 'broken'] }
const nothingWrong: Partial<TopicReport> = {
  missing: [],
  changed: [],
  rejectedButWritten: [],
  neverSent: [],
  unexpected: [],
  serverErrors: 0
}

test('reports no violation for a correct topic', () => {
  const ledger = ledgerOf({ a: [acknowledged], b: [overloaded], c: [unanswered, acknowledged] })
  expect(checkTopic(ledger, topicOf('a', 'c'), allowed)).toMatchObject({
    ...nothingWrong,
    attempts: 4,
    decisions: 3,
    acknowledged: 2,
    rejected: { overloaded: 1 },
    unknown: { log_unavailable: 1 },
    duplicates: 0
  })
})

describe('check of a changed topic', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `decision-${index}`)
  const ledger = ledgerOf({
    ...Object.fromEntries(ids.map((id) => [id, [acknowledged]])),
    retried: [unanswered, broken, acknowledged],
    rejected: [overloaded]
  })
  const whole = topicOf(...ids, 'retried')

  test('reports any missing decision', () => {
    for (const lost of [...ids, 'retried']) {
      const found = whole.filter(({ decisionId }) => decisionId !== lost)
      expect(checkTopic(ledger, found, allowed)).toMatchObject({ ...nothingWrong, missing: [lost] })
    }
  })

  test('reports all decisions of an empty topic', () => {
    expect(checkTopic(ledger, [], allowed).missing).toHaveLength(101)
  })

  test('reports different content with the same id, even in a second copy', () => {
    const altered = { decisionId: 'decision-7', fingerprint: 'of other content' }
    const report = checkTopic(ledger, [...whole, altered], allowed)
    expect(report).toMatchObject({ ...nothingWrong, changed: ['decision-7'], duplicates: 1 })
  })

  test('reports a rejected decision', () => {
    const report = checkTopic(ledger, [...whole, ...topicOf('rejected')], allowed)
    expect(report).toMatchObject({ ...nothingWrong, rejectedButWritten: ['rejected'] })
  })

  test('reports a decision on the topic that was never sent', () => {
    const report = checkTopic(ledger, [...whole, ...topicOf('never-sent')], allowed)
    expect(report).toMatchObject({ ...nothingWrong, neverSent: ['never-sent'] })
  })
})

test('accepts an unknown decision with or without a record, and counts both', () => {
  const ledger = ledgerOf({ written: [unanswered], lost: [broken], late: [unanswered, overloaded] })
  expect(checkTopic(ledger, topicOf('written', 'late'), allowed)).toMatchObject({
    ...nothingWrong,
    leftUnknown: 3,
    leftUnknownWritten: 2
  })
})

test('counts copies of a decision as duplicates', () => {
  const report = checkTopic(ledgerOf({ a: [acknowledged] }), topicOf('a', 'a', 'a'), allowed)
  expect(report).toMatchObject({ ...nothingWrong, duplicates: 2 })
})

describe('an unexplained response', () => {
  test('is reported with its decision', () => {
    const report = checkTopic(ledgerOf({ a: [unanswered], b: [invalid] }), [], { allows: [] })
    expect(report.unexpected).toEqual([
      'a: good got log_unavailable',
      'b: good got invalid_decision'
    ])
  })

  test('may be the acknowledgement of an invalid decision', () => {
    const report = checkTopic(ledgerOf({ a: [acknowledged] }, 'invalid'), topicOf('a'), allowed)
    expect(report.unexpected).toEqual(['a: invalid got acknowledged'])
  })

  test('depends on whether the API key is unknown', () => {
    const unavailable: AttemptOutcome = {
      kind: 'rejected',
      status: 503,
      code: 'authentication_unavailable'
    }
    const only = { allows: [], allowsForeign: [unavailable.code] }
    expect(checkTopic(ledgerOf({ a: [unavailable] }, 'foreign'), [], only).unexpected).toEqual([])
    expect(checkTopic(ledgerOf({ a: [unavailable] }), [], only).unexpected).toHaveLength(1)
  })
})

test('counts a 500 as a server error, but not a 503', () => {
  const ledger = ledgerOf({ a: [internal], b: [unanswered] })
  expect(checkTopic(ledger, [], allowed).serverErrors).toBe(1)
})
