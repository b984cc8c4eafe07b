/** Tests that the XOR of two ids is a valid id, and that its XOR with either id yields the other.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isUuid } from '../../../../core/ids/ids.ts'
import { xorIds } from '../../../../core/ids/xor-ids.ts'

test('gives the other id back, and is a valid id', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const both = xorIds(one, other)
      expect(isUuid(both)).toBe(true)
      expect(xorIds(both, one)).toBe(other)
      expect(xorIds(other, both)).toBe(one)
    })
  )
})

test('has the bits in which the two ids differ', () => {
  const zero = '00000000-0000-0000-0000-000000000000'
  const ones = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  expect(xorIds(zero, ones)).toBe(ones)
  expect(xorIds(ones, ones)).toBe(zero)
  expect(xorIds('01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55', zero)).toBe(
    '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
  )
})
