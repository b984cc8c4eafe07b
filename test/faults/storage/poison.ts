/** Creates poison records, which cannot be stored, and unusual decisions, which must be stored. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Decision } from '../../../core/decision/decision.ts'
import { aDecision } from '../../support/builders.ts'
import type { Poison } from './foreign-producer.ts'

type Encode = (decision: Decision) => Buffer

/** Size in bytes, just below the topic's maximum message size. */
const hugeBytes = 4_900_000
const unknownSchemaId = 999_999_999
const marker = 'MARKER'
/** UTF-8 encoding of an unpaired surrogate, padded to the length of the marker. */
const surrogate = Buffer.from([0xed, 0xa0, 0x80, 0x41, 0x41, 0x41])
const noUtf8 = Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0x41, 0x41])

/** Creates one poison record of each kind, with new ids. */
export function poisons(encode: Encode): Poison[] {
  const encoded = (changes: Partial<Decision>): Buffer => encode(aDecision(changes))
  const broken: Record<string, Buffer | null> = {
    ...bytesThatAreNone(encode),
    'id in capitals': encoded({ decision_id: randomUUID().toUpperCase() }),
    'organization in capitals': encoded({ organization_id: randomUUID().toUpperCase() }),
    'organization that is not an id': encoded({ organization_id: 'nobody' }),
    'input that is not JSON': encoded({ input: '{"broken":' }),
    'input with U+0000': encoded({ input: '"a\u0000b"' }),
    'metadata that is not JSON': encoded({ metadata: 'model: small' }),
    'time before 1970': encoded({ received_at: -1 }),
    'time beyond year 9999': encoded({ received_at: 253_402_300_800_000 }),
    'agent with U+0000': encoded({ agent_id: 'a\u0000b' }),
    'session with U+0000': encoded({ session_id: 'a\u0000b' }),
    'domain with U+0000': encoded({ domain: '\u0000' }),
    'agent of a megabyte': encoded({ agent_id: 'a'.repeat(1_000_000) }),
    'session that is too long': encoded({ session_id: 's'.repeat(2001) })
  }
  const poison = Object.entries(broken).map(([kind, value]) => ({ kind, value }))
  const keyed = { kind: 'key that is not text', value: randomBytes(40), key: randomBytes(16) }
  return [...poison, keyed, { kind: 'no key', value: encoded({ domain: '\u0000' }), key: null }]
}

function bytesThatAreNone(encode: Encode): Record<string, Buffer | null> {
  const whole = encode(aDecision())
  const marked = (name: 'output' | 'agent_id'): Buffer => encode(aDecision({ [name]: marker }))
  return {
    'no value': null,
    'empty value': Buffer.alloc(0),
    'random bytes': randomBytes(400),
    'JSON instead of Avro': Buffer.from('{"input":"hello"}'),
    'wrong magic': Buffer.concat([Buffer.from([1]), whole.subarray(1)]),
    'header alone': whole.subarray(0, 5),
    'unknown schema': withSchemaId(whole, unknownSchemaId),
    'truncated Avro': whole.subarray(0, 60),
    'Avro followed by more bytes': Buffer.concat([whole, Buffer.from('more')]),
    'random bytes with a known schema': Buffer.concat([whole.subarray(0, 5), randomBytes(300)]),
    'almost too large': Buffer.alloc(hugeBytes, 0x78),
    'lone surrogate': replaced(marked('output'), surrogate),
    'invalid UTF-8': replaced(marked('agent_id'), noUtf8)
  }
}

function withSchemaId(value: Buffer, schemaId: number): Buffer {
  const copy = Buffer.from(value)
  copy.writeUInt32BE(schemaId, 1)
  return copy
}

/**
 * Replaces the marker with bytes of the same length. Another length would not match Avro's length
 * prefix.
 */
function replaced(value: Buffer, bytes: Buffer): Buffer {
  const copy = Buffer.from(value)
  bytes.copy(copy, copy.indexOf(marker))
  return copy
}

export const oddities: readonly Partial<Decision>[] = [
  { output: 'a\u0000b', input: '"a\\u0000b"' },
  { agent_id: '😀'.repeat(255) },
  { session_id: '漢'.repeat(1000), agent_id: null },
  { input: '{"a":1e400,"a":12345678901234567890}', metadata: '{ "b" : [0.10] }' },
  { agent_id: null, session_id: null, domain: null, metadata: null },
  { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 0 },
  { output: 'x'.repeat(3_000_000) }
]
