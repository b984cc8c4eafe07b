/** What became of a settled message. */
import { expect, test } from '@jest/globals'
import { judge } from '../../../../cli/audit/verdict.ts'
import type { StoredFacts, Verdict } from '../../../../cli/audit/verdict.ts'
import { fingerprintOf } from '../../../../core/decision/fingerprint.ts'
import { aDecision } from '../../../support/builders.ts'

const decision = aDecision()
const day = 86_400_000
const keptFrom = new Date(decision.received_at - day)
const fingerprint = fingerprintOf(decision)
const identity = { fingerprint, received_at: new Date(decision.received_at), isErased: false }
const facts: StoredFacts = { identity, hasRow: true, isErasureAsked: false }
const old = { ...identity, received_at: new Date(decision.received_at - 2 * day) }
const tombstone = { ...identity, fingerprint: Buffer.alloc(0), isErased: true }
const foreign = { ...identity, fingerprint: Buffer.alloc(32) }

const cases: [string, Partial<StoredFacts>, Verdict][] = [
  ['its row is there', {}, { outcome: 'stored' }],
  ['no identity', { identity: null, hasRow: false }, { outcome: 'missing', why: 'not_stored' }],
  ['a rule', { identity: null, hasRow: false, isErasureAsked: true }, { outcome: 'erased' }],
  ['a tombstone', { identity: tombstone, hasRow: false }, { outcome: 'erased' }],
  ['no row', { hasRow: false }, { outcome: 'missing', why: 'row_gone' }],
  ['no row, of a day that was dropped', { identity: old, hasRow: false }, { outcome: 'erased' }],
  ['another has its id', { identity: foreign }, { outcome: 'missing', why: 'conflict_untold' }]
]

test.each(cases)('%s', (_, changes, verdict) => {
  const judging = { facts: { ...facts, ...changes }, keptFrom, isFirst: () => true }
  expect(judge(decision, judging)).toEqual(verdict)
})

test('its identity was met before', () => {
  const judging = { facts, keptFrom, isFirst: () => false }
  expect(judge(decision, judging)).toEqual({ outcome: 'duplicate' })
})

test('no row, and no day has a partition', () => {
  const judging = { facts: { ...facts, hasRow: false, identity: old }, isFirst: () => true }
  expect(judge(decision, { ...judging, keptFrom: null })).toMatchObject({ outcome: 'missing' })
})
