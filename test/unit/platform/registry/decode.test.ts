/** Tests which bytes are decoded to a value, and which writer schemas are cached. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createEncode } from '../../../../platform/avro/avro-codec.ts'
import { TransientError } from '../../../../core/message-outcome.ts'
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

test('decodes a decision as encoded', async () => {
  const decision = aDecision({ input: '{"n":1e400}', output: '\u0000 👩‍👩‍👧' })
  const value = { ...(await decodeValue(encode(decision, known))) }
  expect(value).toEqual({ kind: 'decoded', value: decision })
})

describe('an invalid decision is a dead letter of this step', () => {
  test.each<[string, string, () => Buffer | null]>([
    ['empty_value', 'no value', () => null],
    ['wrong_wire_format', 'no bytes', () => Buffer.alloc(0)],
    ['wrong_wire_format', 'fewer bytes than a header', () => Buffer.from([0, 0, 0, 0])],
    ['wrong_wire_format', 'JSON', () => Buffer.from('{"decision_id":"x"}')],
    ['unknown_schema', 'an unknown id', () => encoded({}, 4711)],
    ['undecodable', 'only a header', () => encoded().subarray(0, 5)],
    ['undecodable', 'a truncated value', () => encoded().subarray(0, -3)],
    ['undecodable', 'a value with trailing bytes', () => Buffer.concat([encoded(), encoded()])],
    ['invalid_decision', 'an id that is not a UUID', () => encoded({ decision_id: 'no' })],
    ['invalid_decision', 'an input that is not JSON', () => encoded({ input: '{' })],
    ['invalid_decision', 'a metadata that is not JSON', () => encoded({ metadata: 'x' })],
    ['invalid_decision', 'a negative time', () => encoded({ received_at: -1 })]
  ])('%s: %s', async (reason, _what, valueOf) => {
    expect(await decodeValue(valueOf())).toMatchObject({
      kind: 'dead_letter',
      step: 'decode',
      reason
    })
  })

  test('decodes or rejects any bytes', async () => {
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
  test('is fetched once, however many messages wait for it', async () => {
    await Promise.all(Array.from({ length: 50 }, () => decodeValue(encoded())))
    await decodeValue(encoded())
    expect(registry.asked).toEqual([known])
  })

  test('reads an older or newer version', async () => {
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

  test('makes a dead letter if it is incompatible, not an endless retry', async () => {
    registry.schemas.set(8, { type: 'record', name: 'Other', fields: [] })
    expect(await decodeValue(encoded({}, 8))).toMatchObject({
      kind: 'dead_letter',
      reason: 'undecodable',
      error: 'schema 8 is not compatible with the reader schema'
    })
  })

  test('does not cache an unknown id: it may be registered later', async () => {
    expect(await decodeValue(encoded({}, 8))).toMatchObject({ reason: 'unknown_schema' })
    registry.schemas.set(8, decisionContract.schema)
    expect(await decodeValue(encoded({}, 8))).toMatchObject({ kind: 'decoded' })
  })

  test('an outage is transient, and not cached either', async () => {
    registry.failure = new TransientError('away')
    await expect(decodeValue(encoded())).rejects.toBe(registry.failure)
    registry.failure = null
    expect(await decodeValue(encoded())).toMatchObject({ kind: 'decoded' })
  })

  test('an outage does not affect cached schemas', async () => {
    await decodeValue(encoded())
    registry.failure = new TransientError('away')
    expect(await decodeValue(encoded())).toMatchObject({ kind: 'decoded' })
  })
})
