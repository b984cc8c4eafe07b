/** Tests which decision fields are repaired, truncated or omitted, and how changes are noted. */
import { describe, expect, test } from '@jest/globals'
import { composeDecision, ownIdOf } from '../../../../../sdk/typescript/src/compose-decision.ts'
import { encodeDecision, invalid } from '../../../../../sdk/typescript/src/encode-decision.ts'
import { tooLarge } from '../../../../../sdk/typescript/src/encoding.ts'

const decisionId = '01900000-0000-7000-8000-000000000000'
const none = { agentId: null, domain: null }

function encode(decision: unknown, context?: object, defaults = none) {
  const raw = { ...composeDecision(decision, context, defaults), decisionId }
  const { text, changes } = encodeDecision(raw, { maxLength: 10_000 })
  const fields = JSON.parse(text) as Record<string, unknown>
  return { fields, changes }
}

const always = { decision_id: decisionId, sdk_version: 'typescript/0.1.0' }

describe('fields', () => {
  test('encodes all fields under their API names', () => {
    const decision = {
      input: { a: [1] },
      output: 'yes',
      agentId: 'a',
      sessionId: 's',
      domain: 'd',
      metadata: { m: 1 },
      inputTokens: 1,
      outputTokens: 2n
    }
    expect(encode(decision)).toEqual({
      fields: {
        ...always,
        input: { a: [1] },
        output: 'yes',
        agent_id: 'a',
        session_id: 's',
        domain: 'd',
        metadata: { m: 1 },
        input_tokens: 1,
        output_tokens: 2
      },
      changes: 0
    })
  })

  test.each([
    ['a text', 'plain "text"', 'plain "text"'],
    ['an object', { a: [1, null] }, '{"a":[1,null]}'],
    ['a number', 42, '42'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"']
  ])('encodes an output that is %s', (_, output, text) => {
    expect(encode({ input: null, output }).fields).toEqual({ ...always, input: null, output: text })
  })

  test.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ input: 1 }],
    [{ input: 1, output: null }],
    [{ input: undefined, output: 'a' }]
  ])('rejects %p', (decision) => {
    expect(() => encode(decision)).toThrow(invalid)
  })

  test('prefers own fields, then the context, then the options; skips empty values', () => {
    const context = { agentId: 'around', sessionId: 'around', metadata: { a: 1, b: { c: 1 } } }
    const decision = { input: 1, output: '', agentId: '', sessionId: 'own', metadata: { b: 2 } }
    const { fields } = encode(decision, context, { agentId: 'default', domain: 'default' } as never)
    expect(fields).toMatchObject({ agent_id: 'around', session_id: 'own', domain: 'default' })
    expect(fields['metadata']).toEqual({ a: 1, b: 2 })
  })

  test('converts numbers to text', () => {
    expect(encode({ input: 1, output: '', agentId: 17, sessionId: 5n })).toMatchObject({
      fields: { agent_id: '17', session_id: '5' },
      changes: 0
    })
  })

  test('omits and notes values of a wrong type', () => {
    const decision = {
      input: 1,
      output: '',
      agentId: {},
      sessionId: true,
      domain: NaN,
      metadata: ['a'],
      inputTokens: -1,
      outputTokens: '5'
    }
    const names = ['agent_id', 'session_id', 'domain', 'input_tokens', 'output_tokens', 'metadata']
    const sdk_changes = names.map((name) => `/${name}: wrong_type`)
    expect(encode(decision)).toEqual({
      fields: { ...always, input: 1, output: '', metadata: { sdk_changes } },
      changes: 6
    })
  })

  test("keeps the context's metadata if the decision's are invalid", () => {
    expect(encode({ input: 1, output: '', metadata: 5 }, { metadata: { a: 1 } }).fields).toEqual(
      expect.objectContaining({ metadata: { a: 1, sdk_changes: ['/metadata: wrong_type'] } })
    )
  })

  test('truncates by code points and removes U+0000', () => {
    const decision = { input: 1, output: 'a\0', agentId: '😀'.repeat(256), domain: 'a\0b' }
    const { fields } = encode(decision)
    expect(fields).toMatchObject({ agent_id: '😀'.repeat(255), domain: 'ab', output: 'a\0' })
    expect(fields['metadata']).toEqual({ sdk_changes: ['/agent_id: cut', '/domain: cut'] })
    expect(encode({ input: 1, output: '', agentId: '😀'.repeat(255) }).changes).toBe(0)
  })
})

describe('changes', () => {
  test('are appended to those in metadata, up to ten', () => {
    const input = Array.from({ length: 12 }, () => NaN)
    const { fields, changes } = encode({ input, output: '', metadata: { tier: 'gold' } })
    const sdk_changes = input.slice(2).map((_, index) => `/input/${index}: not_finite`)
    expect(fields['metadata']).toEqual({ tier: 'gold', sdk_changes })
    expect(changes).toBe(12)
  })

  test('replace a member of the same name and keep the others', () => {
    const metadata = { sdk_changes: 'mine', a: NaN, text: '"sdk_changes":' }
    expect(encode({ input: 1, output: '', metadata }).fields['metadata']).toEqual({
      a: 'NaN',
      text: '"sdk_changes":',
      sdk_changes: ['/metadata/a: not_finite']
    })
    const quiet = { sdk_changes: 'mine' }
    expect(encode({ input: 1, output: '', metadata: quiet }).fields['metadata']).toEqual(quiet)
  })
})

describe('size', () => {
  test.each([
    { input: 'x'.repeat(9990), output: '' },
    { input: 1, output: 'x'.repeat(10_001) },
    { input: 1, output: '', metadata: { a: '"'.repeat(5000) } }
  ])('drops a decision over the limit', (decision) => {
    expect(() => encode(decision)).toThrow(tooLarge)
  })
})

describe('caller ids', () => {
  test.each([
    [decisionId.toUpperCase(), decisionId],
    ['order-17', null],
    [`{${decisionId}}`, null],
    [17, null],
    [null, undefined],
    [undefined, undefined]
  ])('%p', (given, id) => {
    expect(ownIdOf({ decisionId: given })).toBe(id)
  })
})

describe('hostile metadata', () => {
  test('is omitted if it cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const changes = ['/metadata: unreadable', '/metadata: wrong_type']
    const { fields } = encode({ input: 1, output: 'o', metadata: proxy })
    expect(fields['metadata']).toEqual({ sdk_changes: changes })
    const within = encode({ input: 1, output: 'o', metadata: proxy }, { metadata: { a: 1 } })
    expect(within.fields['metadata']).toEqual({ a: 1, sdk_changes: ['/metadata: wrong_type'] })
  })

  test('keeps the JSON valid if it changes between reads', () => {
    let asked = 0
    const metadata = { toJSON: () => (asked++ % 2 === 0 ? { sdk_changes: 1 } : 'abc') }
    const { fields } = encode({ input: NaN, output: 'o', metadata })
    expect(fields['metadata']).toEqual({ sdk_changes: ['/input: not_finite'] })
  })

  test('excludes members that its toJSON omits', () => {
    class Told {
      readonly secret = 'sesame'
      toJSON(): object {
        return { told: 1, sdk_changes: 2 }
      }
    }
    const { fields } = encode({ input: NaN, output: 'o', metadata: new Told() })
    expect(fields['metadata']).toEqual({ told: 1, sdk_changes: ['/input: not_finite'] })
    const within = encode({ input: 1, output: 'o', metadata: new Told() }, { metadata: { a: 1 } })
    expect(within.fields['metadata']).toEqual({ a: 1, told: 1, sdk_changes: 2 })
  })
})

describe('hostile values', () => {
  test('replaces a Proxy that always throws', () => {
    const throws = (): never => {
      throw new TypeError('sesame')
    }
    const input = [new Proxy({}, { getPrototypeOf: throws }), new Proxy([], { get: throws })]
    const { fields } = encode({ input, output: 'o' })
    expect(fields['input']).toEqual(['[error: TypeError]', []])
  })

  test('rejects an endless value, with or without text, as too large', () => {
    class Endless extends Set<number> {
      override *[Symbol.iterator](): SetIterator<number> {
        for (;;) yield 1
      }
    }
    expect(() => encode({ input: new Endless(), output: 'o' })).toThrow(tooLarge)
    const names = Array.from({ length: 1000 }, (_, index) => [`k${index}`, undefined])
    const wide: unknown = Object.fromEntries(names)
    expect(() => encode({ input: Array(1000).fill(wide), output: 'o' })).toThrow(tooLarge)
  })

  test('does not allocate memory for an object that only claims to be a buffer', () => {
    class Buffers {
      readonly [Symbol.toStringTag] = 'ArrayBuffer'
      readonly length = 2 ** 40
    }
    expect(encode({ input: new Buffers(), output: 'o' }).fields['input']).toBe('[error: TypeError]')
  })
})
