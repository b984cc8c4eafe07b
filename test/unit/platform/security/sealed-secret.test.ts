/** Sealed secrets: open to who has key and context, shut to everybody else, and saying why. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createSealer, SealError } from '../../../../platform/security/sealed-secret.ts'

const sealer = createSealer('a-key-of-at-least-thirty-two-characters')
const context = 'org_1/con_1'

test('what was sealed opens again, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
      expect(sealer.open(sealer.seal(text, about), about)).toBe(text)
    })
  )
})

test('the same secret looks different each time, and never like itself', () => {
  const [first, second] = [sealer.seal('sk-secret', context), sealer.seal('sk-secret', context)]
  expect(first.equals(second)).toBe(false)
  expect(first.toString('latin1')).not.toContain('sk-secret')
})

test('another process with the same key opens it', () => {
  const other = createSealer('a-key-of-at-least-thirty-two-characters')
  expect(other.open(sealer.seal('sk-secret', context), context)).toBe('sk-secret')
})

test('another key is told apart from a changed text', () => {
  const other = createSealer('b-key-of-at-least-thirty-two-characters')
  const sealed = sealer.seal('sk-secret', context)
  expect(() => other.open(sealed, context)).toThrow(
    new SealError('the secret was sealed with another SECRETS_KEY')
  )
})

test('a row copied to another organization stays shut', () => {
  const sealed = sealer.seal('sk-secret', context)
  expect(() => sealer.open(sealed, 'org_2/con_1')).toThrow(
    new SealError('the sealed secret was changed, or belongs to something else')
  )
})

test('no bit can be changed and no byte left out', () => {
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

test('a version of the future is named', () => {
  const sealed = sealer.seal('sk-secret', context)
  sealed[0] = 2
  expect(() => sealer.open(sealed, context)).toThrow(/version 2, which is not known here/)
})
