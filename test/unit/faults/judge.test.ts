/** The comparison itself: whatever is wrong on the topic is found, and nothing else is. */
import { describe, expect, test } from '@jest/globals'
import { judge } from '../../faults/judge.ts'
import type { Found, Verdict } from '../../faults/judge.ts'
import { createLedger } from '../../faults/ledger.ts'
import type { Ledger, Outcome } from '../../faults/ledger.ts'
import type { Kind } from '../../faults/sample.ts'

const acknowledged: Outcome = { kind: 'acknowledged', status: 202, code: '' }
const unanswered: Outcome = { kind: 'unknown', status: 503, code: 'log_unavailable' }
const overloaded: Outcome = { kind: 'refused', status: 503, code: 'overloaded' }
const invalid: Outcome = { kind: 'refused', status: 422, code: 'invalid_decision' }
const broken: Outcome = { kind: 'unknown', status: null, code: 'broken' }
const internal: Outcome = { kind: 'unknown', status: 500, code: 'internal_error' }

/** By id: what became of each attempt. */
function ledgerOf(attempts: Record<string, readonly Outcome[]>, kind: Kind = 'good'): Ledger {
  const ledger = createLedger()
  for (const [decisionId, outcomes] of Object.entries(attempts)) {
    const sample = { decisionId, kind, text: '', fingerprint: `of ${decisionId}` }
    outcomes.forEach((outcome) => ledger.record(sample, outcome))
  }
  return ledger
}

function topicOf(...ids: string[]): Found[] {
  return ids.map((decisionId) => ({ decisionId, fingerprint: `of ${decisionId}` }))
}

const allowed = { allows: ['log_unavailable', 'overloaded', 'broken'] }
const nothingWrong: Partial<Verdict> = {
  missing: [],
  changed: [],
  refusedButWritten: [],
  strangers: [],
  unexpected: [],
  serverErrors: 0
}

test('a topic that holds what was acknowledged, and no more, is in order', () => {
  const ledger = ledgerOf({ a: [acknowledged], b: [overloaded], c: [unanswered, acknowledged] })
  expect(judge(ledger, topicOf('a', 'c'), allowed)).toMatchObject({
    ...nothingWrong,
    attempts: 4,
    decisions: 3,
    acknowledged: 2,
    refused: { overloaded: 1 },
    unknown: { log_unavailable: 1 },
    duplicates: 0
  })
})

describe('a doctored topic', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `decision-${index}`)
  const ledger = ledgerOf({
    ...Object.fromEntries(ids.map((id) => [id, [acknowledged]])),
    retried: [unanswered, broken, acknowledged],
    refused: [overloaded]
  })
  const whole = topicOf(...ids, 'retried')

  test('without one decision is found out, whichever it is', () => {
    for (const lost of [...ids, 'retried']) {
      const found = whole.filter(({ decisionId }) => decisionId !== lost)
      expect(judge(ledger, found, allowed)).toMatchObject({ ...nothingWrong, missing: [lost] })
    }
  })

  test('that is empty misses every decision', () => {
    expect(judge(ledger, [], allowed).missing).toHaveLength(101)
  })

  test('with another content under the same id is found out, in a second copy as well', () => {
    const altered = { decisionId: 'decision-7', fingerprint: 'of something else' }
    const verdict = judge(ledger, [...whole, altered], allowed)
    expect(verdict).toMatchObject({ ...nothingWrong, changed: ['decision-7'], duplicates: 1 })
  })

  test('with a decision that was refused is found out', () => {
    const verdict = judge(ledger, [...whole, ...topicOf('refused')], allowed)
    expect(verdict).toMatchObject({ ...nothingWrong, refusedButWritten: ['refused'] })
  })

  test('with a decision that nobody sent is found out', () => {
    const verdict = judge(ledger, [...whole, ...topicOf('stranger')], allowed)
    expect(verdict).toMatchObject({ ...nothingWrong, strangers: ['stranger'] })
  })
})

test('what nobody knows may be written or not, and is counted either way', () => {
  const ledger = ledgerOf({ written: [unanswered], lost: [broken], late: [unanswered, overloaded] })
  expect(judge(ledger, topicOf('written', 'late'), allowed)).toMatchObject({
    ...nothingWrong,
    leftUnknown: 3,
    leftUnknownWritten: 2
  })
})

test('copies of one decision are duplicates, and nothing worse', () => {
  const verdict = judge(ledgerOf({ a: [acknowledged] }), topicOf('a', 'a', 'a'), allowed)
  expect(verdict).toMatchObject({ ...nothingWrong, duplicates: 2 })
})

describe('answers that nothing explains', () => {
  test('are told, by decision', () => {
    const verdict = judge(ledgerOf({ a: [unanswered], b: [invalid] }), [], { allows: [] })
    expect(verdict.unexpected).toEqual([
      'a: good ended as log_unavailable',
      'b: good ended as invalid_decision'
    ])
  })

  test('are also acknowledgements of what had to be refused', () => {
    const verdict = judge(ledgerOf({ a: [acknowledged] }, 'invalid'), topicOf('a'), allowed)
    expect(verdict.unexpected).toEqual(['a: invalid ended as acknowledged'])
  })

  test('differ for a key that nobody knows', () => {
    const away: Outcome = { kind: 'refused', status: 503, code: 'authentication_unavailable' }
    const only = { allows: [], allowsForeign: [away.code] }
    expect(judge(ledgerOf({ a: [away] }, 'foreign'), [], only).unexpected).toEqual([])
    expect(judge(ledgerOf({ a: [away] }), [], only).unexpected).toHaveLength(1)
  })
})

test('a 500 is counted, and a 503 is none', () => {
  const ledger = ledgerOf({ a: [internal], b: [unanswered] })
  expect(judge(ledger, [], allowed).serverErrors).toBe(1)
})
