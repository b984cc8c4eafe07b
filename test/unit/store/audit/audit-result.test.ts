/** Tests how an audit classifies a message: stored, duplicate, erased or missing. */
import { expect, test } from '@jest/globals'
import { classify } from '../../../../store/audit/audit-result.ts'
import type { StoredState, AuditResult } from '../../../../store/audit/audit-result.ts'
import { decisionIdOf } from '../../../../core/decision/of-span.ts'
import { fingerprintOf } from '../../../../core/decision/fingerprint.ts'
import { aDecision } from '../../../support/builders.ts'

const decision = aDecision()
const day = 86_400_000
const keptFrom = new Date(decision.received_at - day)
const fingerprint = fingerprintOf(decision)
const identity = { fingerprint, received_at: new Date(decision.received_at), isErased: false }
const state: StoredState = { identity, hasRow: true, isErasureRequested: false }
const old = { ...identity, received_at: new Date(decision.received_at - 2 * day) }
const tombstone = { ...identity, fingerprint: Buffer.alloc(0), isErased: true }
const foreign = { ...identity, fingerprint: Buffer.alloc(32) }

const cases: [string, Partial<StoredState>, AuditResult][] = [
  ['a stored row', {}, { outcome: 'stored' }],
  ['no identity', { identity: null, hasRow: false }, { outcome: 'missing', why: 'not_stored' }],
  ['a rule', { identity: null, hasRow: false, isErasureRequested: true }, { outcome: 'erased' }],
  ['a tombstone', { identity: tombstone, hasRow: false }, { outcome: 'erased' }],
  ['no row', { hasRow: false }, { outcome: 'missing', why: 'row_gone' }],
  ['no row, on a day that was dropped', { identity: old, hasRow: false }, { outcome: 'erased' }],
  [
    'another decision has the id',
    { identity: foreign },
    { outcome: 'missing', why: 'conflict_not_reported' }
  ]
]

test.each(cases)('%s', (_, changes, expected) => {
  const context = { state: { ...state, ...changes }, keptFrom, isFirst: () => true }
  expect(classify(decision, context)).toEqual(expected)
})

test('counts another decision of the same span as a duplicate', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const metadata = `{"trace_id":"${traceId}","kind":"agent","otel":{"span_id":"${spanId}"}}`
  const ofSpan = { ...decision, decision_id: decisionIdOf(`${traceId}:${spanId}`), metadata }
  const context = { state: { ...state, identity: foreign }, keptFrom, isFirst: () => true }
  expect(classify(ofSpan, context)).toEqual({ outcome: 'duplicate' })
})

test('counts a repeated identity as a duplicate', () => {
  const context = { state, keptFrom, isFirst: () => false }
  expect(classify(decision, context)).toEqual({ outcome: 'duplicate' })
})

test('reports a missing row if there are no day partitions', () => {
  const context = { state: { ...state, hasRow: false, identity: old }, isFirst: () => true }
  expect(classify(decision, { ...context, keptFrom: null })).toMatchObject({ outcome: 'missing' })
})
