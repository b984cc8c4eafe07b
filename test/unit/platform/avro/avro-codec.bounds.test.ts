/** Tests that the decoder rejects item counts that its input cannot contain. */
import { expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'
import type { Evaluation } from '../../../../core/evaluation/evaluation.ts'
import { evaluationContract } from '../../../../schemas/index.ts'
import { aRun, anEvaluation } from '../../../support/builders.ts'

const { schema } = evaluationContract
const decoderOf = createDecoderFactory<Evaluation>(schema)

test('twelve bytes that claim fifty million runs are rejected at once', () => {
  const payload = Buffer.from('000000000000000080c2d72f', 'hex')
  expect(() => decoderOf(schema)(payload)).toThrow('a block claims 50000000 items')
})

test.each([
  ['read', 'other'],
  ['skipped', 'kept']
])('an array of null items with a false count is rejected when it is %s', (_how, name) => {
  const writer = {
    type: 'record',
    name: 'R',
    fields: [{ name: 'other', type: { type: 'array', items: 'null' } }]
  }
  const reader = {
    type: 'record',
    name: 'R',
    fields: [{ name, type: { type: 'array', items: 'null' }, default: [] }]
  }
  const payload = Buffer.from('80c2d72f00', 'hex')
  expect(() => createDecoderFactory(reader)(writer)(payload)).toThrow('a block claims')
})

test('arrays with correct counts are read', () => {
  const evaluation = anEvaluation({ later_runs: [aRun(), aRun(), aRun({ scores: [] })] })
  const bytes = createEncode<Evaluation>(schema)(evaluation, 1)
  expect(decoderOf(schema)(bytes.subarray(5))).toEqual(evaluation)
})
