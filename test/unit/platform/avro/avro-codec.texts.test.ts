/** Tests that the decoder rejects texts that are not UTF-8 instead of repairing them. */
import { expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { readWireFormat } from '../../../../core/wire-format.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { aDecision } from '../../../support/builders.ts'

const { schema } = decisionContract
const decode = createDecoderFactory<Decision>(schema)(schema)
const encode = createEncode<Decision>(schema)
const marker = 'MARKER'

/** Decodes a decision whose field `name` contains these bytes in place of the marker. */
function decodeWith(name: 'output' | 'agent_id', bytes: Buffer): Decision {
  const { payload } = readWireFormat(encode(aDecision({ [name]: marker }), 1))
  const at = payload.indexOf(marker)
  bytes.copy(payload, at)
  return decode(payload)
}

test.each([
  ['a lone surrogate', 'eda080414141'],
  ['invalid start bytes', 'fffe41414141'],
  ['a truncated character at the end', '41414141e6bc'],
  ['an overlong NUL', 'c08041414141']
])('%s is rejected in required and optional texts', (_what, hex) => {
  const bytes = Buffer.from(hex, 'hex')
  expect(() => decodeWith('output', bytes)).toThrow('a text is not UTF-8')
  expect(() => decodeWith('agent_id', bytes)).toThrow('a text is not UTF-8')
})

test('a genuine replacement character is accepted', () => {
  const text = '\ufffd漢'
  expect(decodeWith('output', Buffer.from(text)).output).toBe(text)
})

test('the next field is read from the right position', () => {
  const decision = aDecision({ input: '"\ufffd"', output: '\ufffd', agent_id: 'a\ufffd' })
  expect(decode(readWireFormat(encode(decision, 1)).payload)).toEqual(decision)
})
