/** Tests which decisions count as those of a span. */
import { expect, test } from '@jest/globals'
import { decisionIdOf, isOfSpan } from '../../../../core/decision/of-span.ts'
import { aDecision } from '../../../support/builders.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const decision_id = decisionIdOf(`${traceId}:${spanId}`)
const metadata = `{"trace_id":"${traceId}","kind":"agent","otel":{"span_id":"${spanId}"}}`

test('a decision with the id of its span is of the span', () => {
  expect(isOfSpan(aDecision({ decision_id, metadata }))).toBe(true)
})

test.each([
  ['another id', { metadata }],
  ['the ids of another span', { decision_id, metadata: metadata.replace('00f0', '00f1') }],
  ['other metadata', { decision_id, metadata: '{"otel":null}' }],
  ['metadata that is cut', { decision_id, metadata: metadata.slice(0, 50) }],
  ['no metadata', { decision_id, metadata: null }]
])('a decision with %s is not', (_what, members) => {
  expect(isOfSpan(aDecision(members))).toBe(false)
})
