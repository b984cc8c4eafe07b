/** Tests that sealed secrets open only with their key and context, and that errors give the reason.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createSealer, SealError } from '../../../../platform/security/sealed-secret.ts'

const sealer = createSealer('a-key-of-at-least-thirty-two-characters')
const context = 'org_1/con_1'

test('a sealed secret opens again, whatever its content', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
      expect(sealer.open(sealer.seal(text, about), about)).toBe(text)
    })
  )
})

test('the same secret is sealed differently each time, and never as plain text', () => {
  const [first, second] = [sealer.seal('sk-secret', context), sealer.seal('sk-secret', context)]
  expect(first.equals(second)).toBe(false)
  expect(first.toString('latin1')).not.toContain('sk-secret')
})

test('another process with the same key opens it', () => {
  const other = createSealer('a-key-of-at-least-thirty-two-characters')
  expect(other.open(sealer.seal('sk-secret', context), context)).toBe('sk-secret')
})

test('a wrong key is distinguished from a modified text', () => {
  const other = createSealer('b-key-of-at-least-thirty-two-characters')
  const sealed = sealer.seal('sk-secret', context)
  expect(() => other.open(sealed, context)).toThrow(
    new SealError('the secret was sealed with another SECRETS_KEY')
  )
})

test('a row copied to another organization cannot be opened', () => {
  const sealed = sealer.seal('sk-secret', context)
  expect(() => sealer.open(sealed, 'org_2/con_1')).toThrow(
    new SealError('the sealed secret was modified, or belongs to another object')
  )
})

test('no bit can be changed and no byte removed', () => {
  const sealed = sealer.seal('sk-secret', context)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(() => sealer.open(changed, context)).toThrow(SealError)
  }
  for (let bytes = 0; bytes < sealed.length; bytes++) {
    expect(() => sealer.open(sealed.subarray(0, bytes), context)).toThrow(SealError)
  }
})

test('an unknown version is reported', () => {
  const sealed = sealer.seal('sk-secret', context)
  sealed[0] = 2
  expect(() => sealer.open(sealed, context)).toThrow(/unknown version 2/)
})
