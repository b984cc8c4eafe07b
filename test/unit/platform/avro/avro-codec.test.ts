/** Tests that encoded records can be read by Sluice's decoder and by an independent reader. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import type { Evaluation } from '../../../../core/evaluation/evaluation.ts'
import { wireHeaderBytes } from '../../../../core/wire-format.ts'
import { decisionContract, evaluationContract } from '../../../../schemas/index.ts'
import { readAvro, readWireFormat } from '../../../support/avro-reader.ts'
import {
  aDecision,
  anEvaluation,
  aPackedRun,
  aRun,
  aRunKind,
  aScore
} from '../../../support/builders.ts'

const encodeDecision = createEncode<Decision>(decisionContract.schema)
const decodeDecision = createDecoderFactory<Decision>(decisionContract.schema)(
  decisionContract.schema
)
const encodeEvaluation = createEncode<Evaluation>(evaluationContract.schema)
const decodeEvaluation = createDecoderFactory<Evaluation>(evaluationContract.schema)(
  evaluationContract.schema
)

const text = fc.string({ unit: 'binary', maxLength: 40 })
const optionalText = fc.option(text)
/** The largest count that the API accepts, 2^53 − 1, has a separate test. */
const count = fc.option(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 }))
const time = fc.integer({ min: 0, max: 253_402_300_799_999 })

const decisions: fc.Arbitrary<Decision> = fc.record({
  decision_id: fc.uuid(),
  organization_id: fc.uuid(),
  received_at: time,
  input: text,
  output: text,
  agent_id: optionalText,
  session_id: optionalText,
  domain: optionalText,
  metadata: optionalText,
  input_tokens: count,
  output_tokens: count,
  sdk_version: optionalText
})

const scores = fc.record({
  label: optionalText,
  value: fc.option(fc.double({ noNaN: true })),
  passed: fc.option(fc.boolean()),
  reason: optionalText
})
const packedRuns = fc.record({
  kind: fc.constantFrom(aRunKind(), aRunKind({ name: null }), aRunKind({ threshold: 0.5 })),
  value: fc.option(fc.double({ noNaN: true })),
  reason: optionalText
})
const laterRuns = fc.record({
  scores: fc.array(scores.map(aScore), { maxLength: 4 }),
  status_reason: optionalText,
  attempts: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  duration_us: count
})
const evaluations = fc
  .record({
    evaluated_at: time,
    runs: fc.array(packedRuns.map(aPackedRun), { maxLength: 4 }),
    later_runs: fc.array(laterRuns.map(aRun), { maxLength: 4 })
  })
  .map(anEvaluation)

/** Returns a decision whose encoded record has exactly this size, including the header. */
function decisionOfSize(size: number): Decision {
  let output = 'a'.repeat(size - encodeDecision(aDecision({ output: '' }), 1).length - 8)
  while (encodeDecision(aDecision({ output }), 1).length < size) output += 'a'
  return aDecision({ output })
}

describe('every record', () => {
  test('of a decision is read back by Sluice and by an independent reader', () => {
    const schemaIds = fc.integer({ min: 0, max: 2 ** 32 - 1 })
    fc.assert(
      fc.property(decisions, schemaIds, (decision, schemaId) => {
        const { payload, schemaId: written } = readWireFormat(encodeDecision(decision, schemaId))
        expect(written).toBe(schemaId)
        expect(readAvro(decisionContract.text, payload)).toEqual(decision)
        expect(decodeDecision(payload)).toEqual(decision)
      }),
      { numRuns: 300 }
    )
  })

  test('of an evaluation is read back by Sluice and by an independent reader', () => {
    fc.assert(
      fc.property(evaluations, (evaluation) => {
        const { payload } = readWireFormat(encodeEvaluation(evaluation, 1))
        expect(readAvro(evaluationContract.text, payload)).toEqual(evaluation)
        expect(decodeEvaluation(payload)).toEqual(evaluation)
      })
    )
  })
})

describe('a slab of 16 KiB', () => {
  test.each([-1, 0, 1, 2, 100])(
    'fits a record %d bytes over its remaining space, or is replaced',
    (more) => {
      const decision = decisionOfSize(16 * 1024 + more)
      const value = encodeDecision(decision, 7)
      expect(value).toHaveLength(16 * 1024 + more)
      expect(readWireFormat(value).schemaId).toBe(7)
      expect(decodeDecision(value.subarray(wireHeaderBytes))).toEqual(decision)
    }
  )

  test('does not limit a record: 4 MiB of any script are read back', () => {
    const decision = aDecision({ output: '返品👟'.repeat(400_000), metadata: '{"a":1}' })
    const { payload } = readWireFormat(encodeDecision(decision, 1))
    expect(decodeDecision(payload)).toEqual(decision)
  })

  test('is never overwritten: records of many sizes are read as encoded', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 10, maxLength: 30 })
    fc.assert(
      fc.property(sizes, (lengths) => {
        const decisions = lengths.map((length, index) =>
          aDecision({ output: String(index % 10).repeat(length) })
        )
        const values = decisions.map((decision, index) => encodeDecision(decision, index))
        const read = values.map((value) => decodeDecision(value.subarray(wireHeaderBytes)))
        expect(read).toEqual(decisions)
        expect(values.map((value) => readWireFormat(value).schemaId)).toEqual([...values.keys()])
      }),
      { numRuns: 20 }
    )
  })

  test('loses nothing if a value does not fit the schema', () => {
    const before = encodeDecision(aDecision({ output: 'before' }), 1)
    expect(() => encodeDecision({} as Decision, 1)).toThrow()
    const after = encodeDecision(aDecision({ output: 'after' }), 1)
    const outputs = [before, after].map(
      (value) => decodeDecision(value.subarray(wireHeaderBytes)).output
    )
    expect(outputs).toEqual(['before', 'after'])
  })
})

describe('numbers', () => {
  test.each([0, 1, 63, 64, 2 ** 31, 2 ** 32 + 1, 2 ** 52, Number.MAX_SAFE_INTEGER - 1])(
    'a count of %d is preserved',
    (input_tokens) => {
      const { payload } = readWireFormat(encodeDecision(aDecision({ input_tokens }), 1))
      expect(decodeDecision(payload).input_tokens).toBe(input_tokens)
    }
  )

  test("the largest count that the body's contract allows is preserved", () => {
    const decision = aDecision({ input_tokens: Number.MAX_SAFE_INTEGER })
    const { payload } = readWireFormat(encodeDecision(decision, 1))
    expect(readAvro(decisionContract.text, payload)).toEqual(decision)
    expect(decodeDecision(payload)).toEqual(decision)
  })
})

describe('encode rejects', () => {
  test.each([
    ['a missing field', { output: undefined }],
    ['a null in a required field', { input: null }],
    ['a number instead of a text', { output: 1 }],
    ['a text instead of a count', { input_tokens: '1' }],
    ['a count with a fraction', { input_tokens: 1.5 }],
    ['a count beyond 2^53', { input_tokens: 2 ** 53 }],
    ['an invalid time', { received_at: Number.NaN }]
  ])('%s', (_, overrides) => {
    const value = { ...aDecision(), ...overrides } as unknown as Decision
    expect(() => encodeDecision(value, 1)).toThrow(/invalid/)
  })
})

describe('decode rejects', () => {
  const { payload } = readWireFormat(encodeDecision(aDecision(), 1))

  test('every truncated record', () => {
    for (let length = 0; length < payload.length; length++) {
      expect(() => decodeDecision(payload.subarray(0, length))).toThrow()
    }
  })

  test('trailing bytes', () => {
    expect(() => decodeDecision(Buffer.concat([payload, Buffer.from([0])]))).toThrow(/trailing/)
  })

  test('an undefined branch of a union', () => {
    const wrong = Buffer.from(payload)
    // The last byte is the union branch of sdk_version, which is null.
    wrong[wrong.length - 1] = 8
    expect(() => decodeDecision(wrong)).toThrow()
  })

  test('arbitrary bytes with an error, unless they form a record', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        try {
          expect(Object.keys(decodeDecision(Buffer.from(bytes)))).toHaveLength(12)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
      { numRuns: 500 }
    )
  })

  test('an incompatible writer schema', () => {
    const stranger = { type: 'record', name: 'Decision', namespace: 'sluice', fields: [] }
    expect(() => createDecoderFactory(decisionContract.schema)(stranger)).toThrow()
  })

  test('an invalid schema', () => {
    expect(() => createEncode({ type: 'no such type' })).toThrow()
    expect(() => createDecoderFactory({})).toThrow()
  })
})
