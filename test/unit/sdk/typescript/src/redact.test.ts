/** Tests redaction: the result of `redact` is checked and sent, and nothing is sent if it fails. */
import { describe, expect, test } from '@jest/globals'
import { composeDecision } from '../../../../../sdk/typescript/src/compose-decision.ts'
import { encodeDecision, invalid } from '../../../../../sdk/typescript/src/encode-decision.ts'
import { tooLarge } from '../../../../../sdk/typescript/src/encoding.ts'
import { redactDecision, RedactError, redacted } from '../../../../../sdk/typescript/src/redact.ts'
import type { Redact } from '../../../../../sdk/typescript/src/redact.ts'

const decisionId = '01900000-0000-7000-8000-000000000000'
const given = {
  input: { secret: 'sesame', big: 2n ** 70n, at: new Date(0) },
  output: 'open',
  metadata: { tier: 'gold' }
}

function redact(redactIt: Redact, decision: object = given) {
  const context = { agentId: 'around', metadata: { user: 'somebody' } }
  const composed = composeDecision(decision, context, { agentId: null, domain: 'd' })
  const { text, changes } = redactDecision({ ...composed, decisionId }, redactIt, {
    maxLength: 1000
  })
  return { text, changes, fields: JSON.parse(text) as Record<string, unknown> }
}

describe('redact', () => {
  test('receives the decision as it would be sent, and its result is sent instead', () => {
    const seen: unknown[] = []
    const { text } = redact((decision) => {
      seen.push(structuredClone(decision))
      const { input, ...rest } = decision
      return { ...rest, input: { ...(input as object), secret: '***' } }
    })
    expect(seen).toEqual([
      {
        decisionId,
        input: { secret: 'sesame', big: 2n ** 70n, at: '1970-01-01T00:00:00.000Z' },
        output: 'open',
        agentId: 'around',
        domain: 'd',
        metadata: { user: 'somebody', tier: 'gold' }
      }
    ])
    expect(text).toContain('"big":1180591620717411303424')
    expect(text).not.toContain('sesame')
  })

  test('changes only its own copy', () => {
    const { fields } = redact((decision) => {
      decision.metadata = {}
      Object.assign(decision.input as object, { secret: '***' })
      return decision
    })
    expect(fields).toMatchObject({ input: { secret: '***' }, metadata: {} })
    expect(given).toMatchObject({ input: { secret: 'sesame' }, metadata: { tier: 'gold' } })
  })

  test('receives every name unchanged, whatever was parsed before', () => {
    for (const [at, name] of ['\\', '\n', '"', '\u2028', '', '__proto__'].entries()) {
      const input = { a: at, [name]: [{ 'b\n': 2n ** 70n, c: 1 }], d: 2 }
      let seen: unknown
      const { text } = redact((copy) => (seen = copy), { input, output: '' })
      expect(seen).toMatchObject({ input })
      expect(text).toContain(`${JSON.stringify(name)}:[{"b\\n":${2n ** 70n},"c":1}],"d":2}`)
    }
  })

  test.each([
    ['an output that is not text', { input: 1, output: { big: 2n ** 70n } }],
    ['an output that is a large integer', { input: 1, output: 2n ** 70n }],
    ['the maximum number of large integers', { input: Array(20_000).fill(2n ** 70n), output: '' }],
    [
      'the maximum number of escapes',
      { input: { ['\n'.repeat(99)]: '"'.repeat(2_000_000) }, output: '' }
    ]
  ])('sends the same as without redact: %s', (_, decision) => {
    const limits = { maxLength: 4_194_304 }
    const composed = composeDecision(decision, undefined, { agentId: null, domain: null })
    const raw = { ...composed, decisionId }
    const { text } = encodeDecision(raw, limits)
    const encodedLimits = { maxLength: text.length }
    expect(redactDecision(raw, (copy) => copy, encodedLimits).text).toBe(text)
  })

  test('cannot change the decision id, and removed fields stay removed', () => {
    const { fields } = redact(() => ({ input: 1, output: 'x', decisionId: 'other' }))
    expect(fields).toEqual({
      decision_id: decisionId,
      input: 1,
      output: 'x',
      sdk_version: 'typescript/0.1.0'
    })
  })

  test('encodes its result with the same checks, and adds up the changes', () => {
    const { fields, changes } = redact((decision) => ({ ...decision, output: () => 1 }), {
      input: NaN,
      output: ''
    })
    expect(fields).toMatchObject({
      output: '"[function output]"',
      metadata: { user: 'somebody', sdk_changes: ['/input: not_finite', '/output: not_data'] }
    })
    expect(changes).toBe(2)
  })

  test('can remove notes about changes, which contain names', () => {
    const decision = { input: { 'name of Ada': NaN }, output: '' }
    const { text } = redact((copy) => ({ ...copy, input: null, metadata: {} }), decision)
    expect(text).not.toContain('Ada')
  })

  test.each([
    ['null', () => null, redacted],
    ['nothing', () => undefined, redacted],
    ['no input', () => ({ output: 'x' }), invalid],
    ['too much', () => ({ input: 'x'.repeat(2000), output: '' }), tooLarge]
  ])('returns %s', (_, redactIt, error) => {
    expect(() => redact(redactIt)).toThrow(error)
  })

  const hostile = {
    get then() {
      throw new Error('no')
    }
  }
  test.each<[string, Redact]>([
    [
      'throws',
      () => {
        throw new Error('sesame')
      }
    ],
    ['returns a promise', async (decision) => decision],
    [
      'returns a promise that rejects',
      async () => {
        throw new Error('sesame')
      }
    ],
    ['returns a text', () => 'decision'],
    ['returns true', () => true]
  ])('%s: fails', (_, redactIt) => {
    expect(() => redact(redactIt)).toThrow(RedactError)
    expect(() => redact(() => hostile)).toThrow(invalid)
  })
})
