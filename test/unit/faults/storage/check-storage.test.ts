/** Tests that `checkStorage` reports every violation in the topic, the tables and the dead-letter
 * records.
 */
import { describe, expect, test } from '@jest/globals'
import type {
  Evidence,
  DeadLetterEntry,
  StoredRow,
  TopicEntry
} from '../../../faults/storage/evidence.ts'
import { brokenOf, checkStorage } from '../../../faults/storage/check-storage.ts'
import type { AttemptLine, LedgerLine } from '../../../faults/storage/ledger-line.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const dayMs = 86_400_000

function attempt(identity: string, changes: Partial<AttemptLine> = {}): AttemptLine {
  const result = { sent: 'good', outcome: 'acknowledged', code: '' } as const
  return { line: 'attempt', identity, fingerprint: `of ${identity}`, ...result, ...changes }
}

function entry(offset: number, identity: string, changes: Partial<TopicEntry> = {}): TopicEntry {
  const place = { partition: 0, offset, hash: `bytes of ${offset}` }
  const said = { identity, fingerprint: `of ${identity}`, receivedAt: noon, poisonId: null }
  return { ...place, ...said, ...changes }
}

function row(identity: string, changes: Partial<StoredRow> = {}): StoredRow {
  const place = { receivedAt: noon, table: 'decisions_20261121' }
  return { identity, fingerprint: `of ${identity}`, ...place, ...changes }
}

function deadLetter(offset: number, reason: string): DeadLetterEntry {
  return { place: `0/${offset}`, reason, hash: `bytes of ${offset}` }
}

const ids = Array.from({ length: 40 }, (_, index) => `org/${index}`)
const another = { fingerprint: 'of other content' }
const rejected = { outcome: 'rejected', code: 'overloaded' } as const
const poisonId = 'p'

/**
 * Forty acknowledged decisions, one of them sent twice; then an id conflict, a rejected attempt, an
 * attempt with an unknown outcome, and a poison message.
 */
const ledger: readonly LedgerLine[] = [
  { line: 'run', fault: 'none', decisionsTopic: 'd', deadLetterTopic: 'l' },
  ...ids.map((id) => attempt(id)),
  attempt('org/3'),
  attempt('org/5', another),
  attempt('org/rejected', rejected),
  attempt('org/unknown', { outcome: 'unknown', code: 'broken' }),
  { line: 'poison', poisonId, kind: 'random bytes', hash: 'bytes of 42' },
  { line: 'committed', partition: 0, offset: 20 },
  { line: 'committed', partition: 0, offset: 43 }
]
const poison = entry(42, '', { identity: null, fingerprint: '', receivedAt: 0, poisonId })
const whole: Evidence = {
  ledger,
  records: [
    ...ids.map((id, offset) => entry(offset, id)),
    entry(40, 'org/3', { receivedAt: noon + dayMs }),
    entry(41, 'org/5', another),
    poison
  ],
  deadLetters: [deadLetter(41, 'id_conflict'), deadLetter(42, 'undecodable')],
  rows: ids.map((id) => row(id))
}

function brokenIn(changes: Partial<Evidence>): Record<string, readonly string[]> {
  return brokenOf(checkStorage({ ...whole, ...changes }))
}

test('reports no violation for a correct run', () => {
  const report = checkStorage(whole)
  expect(brokenOf(report)).toEqual({})
  expect(report).toMatchObject({
    ...{ attempts: 44, decisions: 42, acknowledged: 41, rows: 40, repetitions: 2, acrossDays: 1 },
    ...{ poison: 1, conflicts: 1, deadLetterOrigins: 2, deadLetterCopies: 0 },
    reasons: { id_conflict: 1, undecodable: 1 },
    days: ['20261121']
  })
})

describe('check of rows', () => {
  test('reports every missing row', () => {
    for (const lost of ids) {
      const rows = whole.rows.filter(({ identity }) => identity !== lost)
      expect(brokenIn({ rows })).toMatchObject({ missingFromTable: [lost] })
    }
  })

  test('reports every duplicate row', () => {
    for (const twice of ids) {
      expect(brokenIn({ rows: [...whole.rows, row(twice)] })).toEqual({ duplicateRows: [twice] })
    }
  })

  test('reports every changed row', () => {
    for (const altered of ids) {
      const rows = whole.rows.map((each) =>
        each.identity === altered ? row(altered, { fingerprint: 'of something else' }) : each
      )
      expect(brokenIn({ rows })).toMatchObject({ changed: [altered], missingFromTable: [altered] })
    }
  })

  test.each([
    ['rejected', 'rejectedButStored', 'org/rejected'],
    ['never sent', 'neverSent', 'org/stranger']
  ])('reports a row that was %s', (_what, promise, identity) => {
    const rows = [...whole.rows, row(identity)]
    expect(brokenIn({ rows })).toMatchObject({ [promise]: [identity] })
  })

  test('reports a row with the later of two contents if their order is certain', () => {
    const rows = whole.rows.map((each) =>
      each.identity === 'org/5' ? row('org/5', another) : each
    )
    const deadLetters = [deadLetter(5, 'id_conflict'), deadLetter(42, 'undecodable')]
    expect(brokenIn({ rows, deadLetters })).toEqual({ laterContentStored: ['org/5'] })
    const records = whole.records.map((each) =>
      each.offset === 5 ? { ...each, partition: 1 } : each
    )
    const apart = deadLetters.map((each) => ({ ...each, place: each.place.replace('0/5', '1/5') }))
    const committed: LedgerLine = { line: 'committed', partition: 1, offset: 6 }
    expect(brokenIn({ rows, deadLetters: apart, records, ledger: [...ledger, committed] })).toEqual(
      {}
    )
  })

  test.each([
    ['another time', { receivedAt: noon + 1 }],
    ['the time of the retry', { receivedAt: noon + dayMs, table: 'decisions_20261122' }],
    ['the partition of another day', { table: 'decisions_20261120' }]
  ])('reports a row with %s', (_what, changes) => {
    const rows = whole.rows.map((each) =>
      each.identity === 'org/3' ? row('org/3', changes) : each
    )
    expect(Object.keys(brokenIn({ rows }))).toEqual(['misplaced'])
  })

  test('allows rows in the default partition, and counts them', () => {
    const rows = whole.rows.map((each) => ({ ...each, table: 'decisions_default' }))
    expect(brokenIn({ rows })).toEqual({})
    expect(checkStorage({ ...whole, rows }).rowsInDefault).toBe(40)
  })
})

describe('check of the topic', () => {
  test('reports every missing decision', () => {
    for (const lost of ids.filter((id) => id !== 'org/3' && id !== 'org/5')) {
      const records = whole.records.filter(({ identity }) => identity !== lost)
      expect(brokenIn({ records })).toMatchObject({ missingFromTopic: [lost] })
    }
  })

  test('reports an unreadable record that is not poison', () => {
    const records = whole.records.map((each) =>
      each.offset === 7 ? { ...each, identity: null, fingerprint: '' } : each
    )
    expect(brokenIn({ records })).toMatchObject({ neverSent: ['0/7'] })
  })

  test('reports acknowledged poison that is missing or changed', () => {
    const records = whole.records.filter((each) => each !== poison)
    const deadLetters = whole.deadLetters.slice(0, 1)
    const lost = { poisonMissing: ['random bytes: p'] }
    expect(brokenIn({ records, deadLetters })).toEqual(lost)
    const changed = [...records, { ...poison, hash: 'other bytes' }]
    expect(brokenIn({ records: changed })).toMatchObject(lost)
  })
})

describe('check of dead-letter records', () => {
  test('reports every missing record', () => {
    const [first, second] = whole.deadLetters.map((each) => [each])
    expect(brokenIn({ deadLetters: first ?? [] })).toEqual({ deadLettersMissing: ['0/42'] })
    expect(brokenIn({ deadLetters: second ?? [] })).toMatchObject({ deadLettersMissing: ['0/41'] })
  })

  test('reports a record of a valid decision, stored or not', () => {
    const deadLetters = [...whole.deadLetters, deadLetter(9, 'undecodable')]
    const unfounded = { deadLettersUnexpected: ['0/9: undecodable'] }
    expect(brokenIn({ deadLetters })).toEqual(unfounded)
    const rows = whole.rows.filter(({ identity }) => identity !== 'org/9')
    expect(brokenIn({ deadLetters, rows })).toEqual(unfounded)
  })

  test('reports a changed record', () => {
    const deadLetters = whole.deadLetters.map((each) => ({ ...each, hash: 'other bytes' }))
    expect(brokenIn({ deadLetters })).toEqual({ deadLettersChanged: ['0/41', '0/42'] })
  })

  test('counts repeated records', () => {
    const deadLetters = [...whole.deadLetters, ...whole.deadLetters]
    expect(brokenIn({ deadLetters })).toEqual({})
    expect(checkStorage({ ...whole, deadLetters })).toMatchObject({
      deadLetterOrigins: 2,
      deadLetterCopies: 2
    })
  })
})

describe('check of offsets', () => {
  test('reports an offset that moved back', () => {
    const back: LedgerLine[] = [20, 43].map((offset) => ({
      line: 'committed',
      partition: 0,
      offset
    }))
    expect(brokenIn({ ledger: [...ledger, ...back] })).toEqual({
      offsetsBack: ['0: from 43 to 20']
    })
  })

  test('reports records after the last committed offset', () => {
    const short = ledger.slice(0, -1)
    expect(brokenIn({ ledger: short })).toEqual({ unsettled: ['0: 23 records'] })
  })
})

test('reports a valid decision that was rejected without a reason', () => {
  const odd = attempt('org/odd', { outcome: 'rejected', code: 'invalid_decision' })
  expect(brokenIn({ ledger: [...ledger, odd] })).toEqual({
    unexpected: ['org/odd: invalid_decision']
  })
})
