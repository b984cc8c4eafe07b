/** Tests the encoding of decisions: the record with its key and headers, and the errors. */
import { describe, expect, test } from '@jest/globals'
import { createDecoderFactory } from '../../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { readWireFormat } from '../../../../core/wire-format.ts'
import { createEncoder, decisionBytesMax } from '../../../../gateway/ingest/encode.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { aDecision } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { problemOf } from '../../api/fakes.ts'
import { decodeRecord } from '../../platform/kafka/producer/records.ts'

const metrics = new RecordingMetrics()
const encoder = createEncoder({ schemaId: () => 4711, metrics })
const encode = (...given: Parameters<typeof encoder.encode>) =>
  decodeRecord(encoder.encode(...given))
const decodePayload = createDecoderFactory<Decision>(decisionContract.schema)(
  decisionContract.schema
)
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('the value is the decision in Avro, under the id of its schema', () => {
  const decision = aDecision({ input: '{"n":12345678901234567890}', output: '\u0000👩‍👩‍👧' })
  const { value } = encode(decision)
  const { schemaId, payload } = readWireFormat(value)
  expect(schemaId).toBe(4711)
  expect(decodePayload(payload)).toEqual(decision)
})

const decisionId = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

test.each([
  ['the agent', { agent_id: 'agent-ü', session_id: 'session' }, 'agent-ü'],
  ['the session without an agent', { agent_id: null, session_id: 'session' }, 'session'],
  ['the decision without either', { agent_id: null, session_id: null }, decisionId],
  ['never empty', { agent_id: null, session_id: '' }, decisionId]
])('the key is %s', (_what, names, key) => {
  expect(encode(aDecision({ ...names, decision_id: decisionId })).key?.toString('utf8')).toBe(key)
})

describe('headers', () => {
  const decision = aDecision()
  const { decision_id, organization_id } = decision

  test('contain the ids of the decision and its organization', () => {
    expect(encode(decision).headers).toEqual({ decision_id, organization_id })
  })

  test('contain the traceparent of the request', () => {
    const { headers } = encode(decision, traceparent)
    expect(headers).toEqual({ decision_id, organization_id, traceparent })
  })

  test.each<[string, string | string[]]>([
    ['empty', ''],
    ['of another version', traceparent.replace(/^00/, 'ff')],
    ['in upper case', traceparent.toUpperCase()],
    ['with extra characters', `${traceparent}\nx`],
    ['sent twice', [traceparent, traceparent]]
  ])('omit a traceparent that is %s', (_what, value) => {
    expect(encode(decision, value).headers).toEqual({ decision_id, organization_id })
  })
})

test('returns 503 with Retry-After until the schema is loaded', async () => {
  let id: number | null = null
  const waiting = createEncoder({ schemaId: () => id, metrics })
  const problem = await problemOf(() => waiting.encode(aDecision()))
  expect(problem.code).toBe('schema_unavailable')
  expect(problem.options.headers).toEqual({ 'retry-after': '5' })
  expect(waiting.frameOf(aDecision())).toBeNull()
  id = 1
  expect(readWireFormat(decodeRecord(waiting.encode(aDecision())).value).schemaId).toBe(1)
})

test('accepts a decision of exactly the maximum size', () => {
  const around = encode(aDecision({ output: 'x'.repeat(decisionBytesMax / 2) })).value.length
  const spare = decisionBytesMax - around
  const output = 'x'.repeat(decisionBytesMax / 2 + spare)
  const { value } = encode(aDecision({ output }))
  expect(value).toHaveLength(decisionBytesMax)
})

test.each(['input', 'output', 'metadata'] as const)(
  'names the member, its size and the limit when a decision is too large by its %s',
  async (name) => {
    const size = decisionBytesMax + 2
    const text = `"${'é'.repeat((size - 2) / 2)}"`
    const problem = await problemOf(() => encode(aDecision({ [name]: text })))
    expect(problem.code).toBe('payload_too_large')
    expect(problem.options.members).toEqual({
      pointer: `/${name}`,
      size_bytes: size,
      limit_bytes: decisionBytesMax
    })
  }
)

test('the frame of a request has the bytes that its records have in common', () => {
  const { organization_id, received_at, ...decision } = aDecision({
    decision_id: '0'.repeat(36),
    agent_id: null,
    session_id: null
  })
  const receipt = { organization_id, received_at }
  for (const header of [undefined, traceparent, 'malformed']) {
    const { prefix, suffix } = encoder.frameOf(receipt, header) ?? {}
    const record = encoder.encode({ ...decision, ...receipt }, header)
    const { value } = decodeRecord(record)
    expect(prefix?.length).toBeGreaterThan(5 + 36 + 36)
    expect(value.subarray(0, prefix?.length)).toEqual(prefix)
    expect(record.subarray(record.length - (suffix?.length ?? 0))).toEqual(suffix)
    expect(record.length - (suffix?.length ?? 0)).toBe(record.indexOf(value) + value.length)
  }
})

test('shares a frame only between requests whose records have the same bytes around them', () => {
  let id = 7
  const encoderOfIds = createEncoder({ schemaId: () => id, metrics })
  const bytesOf = (...request: Parameters<typeof encoder.frameOf>) => {
    const { prefix, suffix } = encoderOfIds.frameOf(...request)!
    return Buffer.concat([prefix, suffix]).toString('hex')
  }
  const one = { organization_id: 'one', received_at: 1 }
  const two = { ...one, organization_id: 'two' }
  const later = { ...two, received_at: 2 }
  expect(encoderOfIds.frameOf(one)).toBe(encoderOfIds.frameOf({ ...one }))
  const different = [bytesOf(one), bytesOf(two), bytesOf(later), bytesOf(later, traceparent)]
  // The frame with a traceparent is not shared.
  expect(bytesOf(later)).toBe(different[2])
  id = 8
  different.push(bytesOf(later))
  expect(new Set(different).size).toBe(different.length)
})
