/** decode: which bytes are a value, and what is remembered of the schemas that wrote them. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createEncode } from '../../../../platform/avro/avro-codec.ts'
import { TransientError } from '../../../../core/consumed.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { decisionObjection } from '../../../../core/decision/storable.ts'
import { createDecode } from '../../../../platform/registry/decode.ts'
import type { Decode } from '../../../../platform/registry/decode.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { aDecision } from '../../../support/builders.ts'
import { aMessage, FakeRegistry } from '../../consumers/fakes.ts'

const known = 7
const encode = createEncode<Decision>(decisionContract.schema)
let registry: FakeRegistry
let decode: Decode<Decision>

beforeEach(() => {
  registry = new FakeRegistry()
  registry.schemas.set(known, decisionContract.schema)
  decode = createDecode({
    registry,
    readerSchema: decisionContract.schema,
    objection: decisionObjection
  })
})

function decodeValue(value: Buffer | null) {
  return decode(aMessage({ value }))
}

function encoded(overrides: Partial<Decision> = {}, schemaId = known): Buffer {
  return encode(aDecision(overrides), schemaId)
}

test('a decision comes out as it went in', async () => {
  const decision = aDecision({ input: '{"n":1e400}', output: '\u0000 👩‍👩‍👧' })
  const value = { ...(await decodeValue(encode(decision, known))) }
  expect(value).toEqual({ kind: 'decoded', value: decision })
})

describe('what is no decision is a dead letter of this step', () => {
  test.each<[string, string, () => Buffer | null]>([
    ['empty_value', 'no value', () => null],
    ['wrong_wire_format', 'no bytes', () => Buffer.alloc(0)],
    ['wrong_wire_format', 'less than a header', () => Buffer.from([0, 0, 0, 0])],
    ['wrong_wire_format', 'JSON', () => Buffer.from('{"decision_id":"x"}')],
    ['unknown_schema', 'an id that nobody gave', () => encoded({}, 4711)],
    ['undecodable', 'a header alone', () => encoded().subarray(0, 5)],
    ['undecodable', 'a value cut off', () => encoded().subarray(0, -3)],
    ['undecodable', 'a value with more behind it', () => Buffer.concat([encoded(), encoded()])],
    ['invalid_decision', 'an id that is no UUID', () => encoded({ decision_id: 'no' })],
    ['invalid_decision', 'an input that is no JSON', () => encoded({ input: '{' })],
    ['invalid_decision', 'a metadata that is no JSON', () => encoded({ metadata: 'x' })],
    ['invalid_decision', 'a time before time', () => encoded({ received_at: -1 })]
  ])('%s: %s', async (reason, _what, valueOf) => {
    expect(await decodeValue(valueOf())).toMatchObject({
      kind: 'dead_letter',
      step: 'decode',
      reason
    })
  })

  test('whatever the bytes are, there is an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const value = Buffer.concat([Buffer.from([0, 0, 0, 0, known]), bytes])
        expect((await decodeValue(value)).kind).toMatch(/^(decoded|dead_letter)$/)
      })
    )
  })

  test('an error of the codec does not quote the payload', async () => {
    const answer = await decodeValue(encoded({ input: '{"password":"hunter2"' }))
    expect(JSON.stringify(answer)).not.toContain('hunter2')
  })
})

describe('the schema of the writer', () => {
  test('is asked for once, however many messages wait for it', async () => {
    await Promise.all(Array.from({ length: 50 }, () => decodeValue(encoded())))
    await decodeValue(encoded())
    expect(registry.asked).toEqual([known])
  })

  test('an older or newer one is read as ours', async () => {
    const { fields, ...rest } = JSON.parse(decisionContract.text) as {
      fields: { name: string; type: unknown }[]
    }
    const newer = {
      ...rest,
      fields: [
        ...fields.filter(({ name }) => name !== 'sdk_version'),
        { name: 'mood', type: 'string' }
      ]
    }
    registry.schemas.set(8, newer)
    const decision = aDecision()
    const value = createEncode<Decision & { mood: string }>(newer)({ ...decision, mood: 'fine' }, 8)
    expect(await decodeValue(value)).toEqual({ kind: 'decoded', value: decision })
  })

  test('that cannot be read as ours makes a dead letter, not an endless retry', async () => {
    registry.schemas.set(8, { type: 'record', name: 'Other', fields: [] })
    expect(await decodeValue(encoded({}, 8))).toMatchObject({
      kind: 'dead_letter',
      reason: 'undecodable',
      error: 'schema 8 cannot be read as ours'
    })
  })

  test('an id that is unknown is not remembered: it may yet be registered', async () => {
    expect(await decodeValue(encoded({}, 8))).toMatchObject({ reason: 'unknown_schema' })
    registry.schemas.set(8, decisionContract.schema)
    expect(await decodeValue(encoded({}, 8))).toMatchObject({ kind: 'decoded' })
  })

  test('an outage is transient, and is not remembered either', async () => {
    registry.failure = new TransientError('away')
    await expect(decodeValue(encoded())).rejects.toBe(registry.failure)
    registry.failure = null
    expect(await decodeValue(encoded())).toMatchObject({ kind: 'decoded' })
  })

  test('an outage is nothing to who knows the schema', async () => {
    await decodeValue(encoded())
    registry.failure = new TransientError('away')
    expect(await decodeValue(encoded())).toMatchObject({ kind: 'decoded' })
  })
})
