/** Tests that decoding a batch yields one result per message, up to the dead-letter limit. */
import { beforeEach, expect, test } from '@jest/globals'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { decodeBatch } from '../../../consumers/decode-batch.ts'
import { createDeadLetterLimit } from '../../../consumers/dead-letter-limit.ts'
import { createDecode } from '../../../platform/registry/decode.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import { decisionContract } from '../../../schemas/index.ts'
import { aDecision } from '../../support/builders.ts'
import { FakeRegistry, messagesOf } from './fakes.ts'

const known = 7
const encode = createEncode<Decision>(decisionContract.schema)
let registry: FakeRegistry

beforeEach(() => {
  registry = new FakeRegistry()
  registry.schemas.set(known, decisionContract.schema)
})

function decoding(messages: readonly Message[]) {
  const readerSchema = decisionContract.schema
  const decode = createDecode<Decision>({ registry, readerSchema, objection: () => null })
  return decodeBatch(messages, decode, createDeadLetterLimit(100))
}

function encoded(overrides: Partial<Decision> = {}, schemaId = known): Buffer {
  return encode(aDecision(overrides), schemaId)
}

test('returns one result per message, in their order', async () => {
  const values = Array.from({ length: 250 }, (_, index) =>
    index % 5 === 0 ? Buffer.from('poison') : encoded({ output: String(index) })
  )
  const decoded = await decoding(messagesOf(...values))
  const outputs = decoded.map((each) => (each.kind === 'decoded' ? each.value.output : '-'))
  expect(outputs).toEqual(values.map((_, index) => (index % 5 === 0 ? '-' : String(index))))
})

test('requests an unknown schema id once per batch', async () => {
  const strange = (): Buffer => encoded({}, 8)
  const mixed = Array.from({ length: 250 }, (_, index) =>
    index % 10 === 0 ? strange() : encoded()
  )
  await decoding(messagesOf(...mixed))
  expect(registry.asked).toEqual([8, known])
})

test('pauses at the dead-letter limit without further requests to the registry', async () => {
  const values = Array.from({ length: 1000 }, (_, index) => encoded({}, 1000 + index))
  const batch = messagesOf(encoded(), encoded(), ...values)
  const stop = await decoding(batch).catch((error: unknown) => error)
  expect(stop).toMatchObject({
    name: 'PartitionPause',
    offset: 2n,
    fields: { dead_letters: 100, reasons: { unknown_schema: 100 } }
  })
  expect(registry.asked.length).toBeLessThanOrEqual(201)
})
