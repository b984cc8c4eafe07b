/** Tests that writer schemas are fetched rarely, and that only existing schemas are cached. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { TransientError } from '../../../../core/message-outcome.ts'
import { createWriters } from '../../../../platform/registry/writers.ts'
import type { BatchWriters, WriterOf } from '../../../../platform/registry/writers.ts'
import { UnreadableSchemaError } from '../../../../platform/registry/schema-registry.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { FakeRegistry } from '../../consumers/fakes.ts'

const known = 7
let registry: FakeRegistry
let writerOf: WriterOf<object>

beforeEach(() => {
  registry = new FakeRegistry()
  registry.schemas.set(known, decisionContract.schema)
  writerOf = createWriters<object>(registry, decisionContract.schema)
})

/** Starts a batch. The returned function looks up schema ids within it. */
function batch() {
  const asked: BatchWriters<object> = new Map()
  return async (schemaId: number) => (await writerOf(schemaId, asked)).decodePayload
}

test('a known id is fetched once, however many callers wait for it, in all batches', async () => {
  const [one, other] = [batch(), batch()]
  await Promise.all(Array.from({ length: 50 }, () => Promise.all([one(known), other(known)])))
  expect(await batch()(known)).toBeInstanceOf(Function)
  expect(registry.asked).toEqual([known])
})

test('an unknown id is fetched once in a batch, and again in the next', async () => {
  const lookUp = batch()
  expect(await lookUp(8)).toBeNull()
  registry.schemas.set(8, decisionContract.schema)
  expect(await lookUp(8)).toBeNull()
  expect(registry.asked).toEqual([8])
  expect(await batch()(8)).toBeInstanceOf(Function)
})

test('an outage does not affect cached schemas, and is not cached', async () => {
  await batch()(known)
  registry.failure = new TransientError('away')
  expect(await batch()(known)).toBeInstanceOf(Function)
  await expect(batch()(9)).rejects.toBe(registry.failure)
  registry.failure = null
  expect(await batch()(9)).toBeNull()
})

describe('an incompatible schema fails each message, and is fetched once', () => {
  test('because it is another record', async () => {
    registry.schemas.set(8, { type: 'record', name: 'Other', fields: [] })
    const decodePayload = await batch()(8)
    expect(() => decodePayload?.(Buffer.alloc(0))).toThrow(
      'schema 8 is not compatible with the reader schema'
    )
  })

  test('because it is not Avro', async () => {
    registry.failure = new UnreadableSchemaError('it is not an Avro schema')
    const decodePayload = await batch()(8)
    expect(() => decodePayload?.(Buffer.alloc(0))).toThrow(
      'schema 8 is not compatible with the reader schema'
    )
    await batch()(8)
    expect(registry.asked).toEqual([8])
  })
})

test('random ids cause four requests at a time', async () => {
  let [underWay, most] = [0, 0]
  registry.schemaOf = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay -= 1
    return null
  }
  const lookUp = batch()
  await Promise.all(Array.from({ length: 100 }, (_, id) => lookUp(id)))
  expect(most).toBe(4)
})
