/** Tests that a record is formatted as one line of JSON that keeps the exact payload. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { DecodedRecord } from '../../../../cli/records/decode-record.ts'
import { matches } from '../../../../cli/records/record-filter.ts'
import { recordLine } from '../../../../cli/records/record-line.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { aDecision, anEvaluation } from '../../../support/builders.ts'
import { aMessage } from '../../consumers/fakes.ts'

function describedOf(changes: Partial<Decision> = {}, message = aMessage()): DecodedRecord {
  return { message, deadLetter: null, kind: 'decision', decision: aDecision(changes) }
}

const poison: DecodedRecord = {
  ...{ message: aMessage({ value: null, key: Buffer.from([255]), timestamp: 1e300 }) },
  ...{ deadLetter: null, kind: 'undecodable', reason: 'empty_value', error: 'no "value"' }
}

test('formats any decision as one line of JSON with its exact payload', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'grapheme' }), (input, output) => {
      const text = JSON.stringify(input, null, 2)
      const line = recordLine(describedOf({ input: text, output }), { payload: true })
      expect(line).not.toContain('\n')
      expect(JSON.parse(line)).toMatchObject({ output, partition: 3, offset: 0 })
      expect((JSON.parse(line) as { input: unknown }).input).toEqual(JSON.parse(text))
    })
  )
})

test('keeps all digits of numbers', () => {
  const line = recordLine(describedOf({ input: '12345678901234567890' }), { payload: true })
  expect(line).toContain('"input":12345678901234567890,')
})

test('formats a binary key, an invalid timestamp and a missing value', () => {
  expect(JSON.parse(recordLine(poison, { payload: true }))).toEqual({
    ...{ partition: 3, offset: 0, written_at: null, key_base64: '/w==' },
    ...{ error: 'empty_value: no "value"', value_bytes: null }
  })
})

test('formats an evaluation with and without its runs', () => {
  const evaluation = anEvaluation()
  const described: DecodedRecord = {
    message: aMessage(),
    deadLetter: null,
    kind: 'evaluation',
    evaluation
  }
  expect(JSON.parse(recordLine(described, { payload: true }))).toMatchObject({
    evaluated_at: '2025-01-15T12:00:00.040Z',
    runs: JSON.parse(JSON.stringify(evaluation.runs)) as unknown
  })
  expect(JSON.parse(recordLine(described, { payload: false }))).not.toHaveProperty('runs')
})

test('matches records by filter', () => {
  const decision = describedOf({ agent_id: 'one', decision_id: 'aa' })
  expect(matches(decision, {})).toBe(true)
  expect(matches(decision, { agent: 'one', decision: 'AA' })).toBe(true)
  expect(matches(decision, { agent: 'ONE' })).toBe(false)
  expect(matches(decision, { agent: 'one', session: 'another' })).toBe(false)
  expect(matches(decision, { reason: 'undecodable' })).toBe(false)
  expect(matches(poison, {})).toBe(true)
  expect(matches(poison, { agent: 'one' })).toBe(false)
})
