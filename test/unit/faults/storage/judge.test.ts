/** The comparison itself: whatever is wrong in topic, tables or dead letters is found, alone. */
import { describe, expect, test } from '@jest/globals'
import type { Evidence, Letter, StoredRow, TopicEntry } from '../../../faults/storage/evidence.ts'
import { brokenOf, judge } from '../../../faults/storage/judge.ts'
import type { AttemptLine, LedgerLine } from '../../../faults/storage/ledger-line.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const dayMs = 86_400_000

function attempt(identity: string, changes: Partial<AttemptLine> = {}): AttemptLine {
  const told = { sent: 'good', outcome: 'acknowledged', code: '' } as const
  return { line: 'attempt', identity, fingerprint: `of ${identity}`, ...told, ...changes }
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

function letter(offset: number, reason: string): Letter {
  return { place: `0/${offset}`, reason, hash: `bytes of ${offset}` }
}

const ids = Array.from({ length: 40 }, (_, index) => `org/${index}`)
const another = { fingerprint: 'of another content' }
const refused = { outcome: 'refused', code: 'overloaded' } as const
const poisonId = 'p'

/** Forty decisions, one of them sent twice, one id taken again, one refused, and one poison. */
const ledger: readonly LedgerLine[] = [
  { line: 'run', fault: 'none', decisionsTopic: 'd', deadLetterTopic: 'l' },
  ...ids.map((id) => attempt(id)),
  attempt('org/3'),
  attempt('org/5', another),
  attempt('org/refused', refused),
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
  letters: [letter(41, 'id_conflict'), letter(42, 'undecodable')],
  rows: ids.map((id) => row(id))
}

function brokenIn(changes: Partial<Evidence>): Record<string, readonly string[]> {
  return brokenOf(judge({ ...whole, ...changes }))
}

test('what is in order breaks nothing, and is counted', () => {
  const verdict = judge(whole)
  expect(brokenOf(verdict)).toEqual({})
  expect(verdict).toMatchObject({
    ...{ attempts: 44, decisions: 42, acknowledged: 41, rows: 40, repetitions: 2, acrossDays: 1 },
    ...{ poison: 1, conflicts: 1, deadLetters: 2, letterCopies: 0 },
    reasons: { id_conflict: 1, undecodable: 1 },
    days: ['20261121']
  })
})

describe('rows', () => {
  test('without one are found out, whichever it is', () => {
    for (const lost of ids) {
      const rows = whole.rows.filter(({ identity }) => identity !== lost)
      expect(brokenIn({ rows })).toMatchObject({ missingFromTable: [lost] })
    }
  })

  test('with one doubled are found out, whichever it is', () => {
    for (const twice of ids) {
      expect(brokenIn({ rows: [...whole.rows, row(twice)] })).toEqual({ duplicateRows: [twice] })
    }
  })

  test('with one altered are found out, whichever it is', () => {
    for (const altered of ids) {
      const rows = whole.rows.map((each) =>
        each.identity === altered ? row(altered, { fingerprint: 'of something else' }) : each
      )
      expect(brokenIn({ rows })).toMatchObject({ changed: [altered], missingFromTable: [altered] })
    }
  })

  test.each([
    ['refused', 'refusedButStored', 'org/refused'],
    ['never sent', 'strangers', 'org/stranger']
  ])('with one that was %s are found out', (_what, promise, identity) => {
    const rows = [...whole.rows, row(identity)]
    expect(brokenIn({ rows })).toMatchObject({ [promise]: [identity] })
  })

  test('with the later of two contents are found out where the order is certain', () => {
    const rows = whole.rows.map((each) =>
      each.identity === 'org/5' ? row('org/5', another) : each
    )
    const letters = [letter(5, 'id_conflict'), letter(42, 'undecodable')]
    expect(brokenIn({ rows, letters })).toEqual({ usurped: ['org/5'] })
    const records = whole.records.map((each) =>
      each.offset === 5 ? { ...each, partition: 1 } : each
    )
    const apart = letters.map((each) => ({ ...each, place: each.place.replace('0/5', '1/5') }))
    const committed: LedgerLine = { line: 'committed', partition: 1, offset: 6 }
    expect(brokenIn({ rows, letters: apart, records, ledger: [...ledger, committed] })).toEqual({})
  })

  test.each([
    ['another time', { receivedAt: noon + 1 }],
    ['the time of the retry', { receivedAt: noon + dayMs, table: 'decisions_20261122' }],
    ['the table of another day', { table: 'decisions_20261120' }]
  ])('with %s are found out', (_what, changes) => {
    const rows = whole.rows.map((each) =>
      each.identity === 'org/3' ? row('org/3', changes) : each
    )
    expect(Object.keys(brokenIn({ rows }))).toEqual(['misplaced'])
  })

  test('may lie in the default table, and are counted there', () => {
    const rows = whole.rows.map((each) => ({ ...each, table: 'decisions_default' }))
    expect(brokenIn({ rows })).toEqual({})
    expect(judge({ ...whole, rows }).rowsInDefault).toBe(40)
  })
})

describe('the topic', () => {
  test('without a decision is found out, whichever it is', () => {
    for (const lost of ids.filter((id) => id !== 'org/3' && id !== 'org/5')) {
      const records = whole.records.filter(({ identity }) => identity !== lost)
      expect(brokenIn({ records })).toMatchObject({ missingFromTopic: [lost] })
    }
  })

  test('with a record that is no decision and was not meant as poison is found out', () => {
    const records = whole.records.map((each) =>
      each.offset === 7 ? { ...each, identity: null, fingerprint: '' } : each
    )
    expect(brokenIn({ records })).toMatchObject({ strangers: ['0/7'] })
  })

  test('without poison that was acknowledged, or with other bytes, is found out', () => {
    const records = whole.records.filter((each) => each !== poison)
    const letters = whole.letters.slice(0, 1)
    const lost = { poisonMissing: ['random bytes: p'] }
    expect(brokenIn({ records, letters })).toEqual(lost)
    const changed = [...records, { ...poison, hash: 'other bytes' }]
    expect(brokenIn({ records: changed })).toMatchObject(lost)
  })
})

describe('dead letters', () => {
  test('without one are found out, whichever it is', () => {
    const [first, second] = whole.letters.map((each) => [each])
    expect(brokenIn({ letters: first ?? [] })).toEqual({ lettersMissing: ['0/42'] })
    expect(brokenIn({ letters: second ?? [] })).toMatchObject({ lettersMissing: ['0/41'] })
  })

  test('of a good decision are found out, stored or not', () => {
    const letters = [...whole.letters, letter(9, 'undecodable')]
    const unfounded = { lettersUnfounded: ['0/9: undecodable'] }
    expect(brokenIn({ letters })).toEqual(unfounded)
    const rows = whole.rows.filter(({ identity }) => identity !== 'org/9')
    expect(brokenIn({ letters, rows })).toEqual(unfounded)
  })

  test('with other bytes are found out', () => {
    const letters = whole.letters.map((each) => ({ ...each, hash: 'other bytes' }))
    expect(brokenIn({ letters })).toEqual({ lettersChanged: ['0/41', '0/42'] })
  })

  test('that came twice are counted, and no harm', () => {
    const letters = [...whole.letters, ...whole.letters]
    expect(brokenIn({ letters })).toEqual({})
    expect(judge({ ...whole, letters })).toMatchObject({ deadLetters: 2, letterCopies: 2 })
  })
})

describe('offsets', () => {
  test('that moved back are found out', () => {
    const back: LedgerLine[] = [20, 43].map((offset) => ({
      line: 'committed',
      partition: 0,
      offset
    }))
    expect(brokenIn({ ledger: [...ledger, ...back] })).toEqual({
      offsetsBack: ['0: from 43 to 20']
    })
  })

  test('that did not reach the end are found out', () => {
    const short = ledger.slice(0, -1)
    expect(brokenIn({ ledger: short })).toEqual({ unsettled: ['0: 23 records'] })
  })
})

test('a valid decision that was refused for no reason is found out', () => {
  const odd = attempt('org/odd', { outcome: 'refused', code: 'invalid_decision' })
  expect(brokenIn({ ledger: [...ledger, odd] })).toEqual({
    unexpected: ['org/odd: invalid_decision']
  })
})
