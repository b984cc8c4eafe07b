/** Tests that JSON pointers are escaped as RFC 6901 requires, and resolve to the original names. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pointerTo } from '../../../../core/json/json-pointer.ts'

test.each([
  ['input', '/input'],
  ['', '/'],
  ['a/b', '/a~1b'],
  ['m~n', '/m~0n'],
  ['~1', '/~01'],
  ['a/b/~c~', '/a~1b~1~0c~0'],
  ['c%d e"f', '/c%d e"f']
])('the pointer to %j is %s', (name, pointer) => {
  expect(pointerTo(name)).toBe(pointer)
})

test('resolves to any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', 'é') }), (name) => {
      const token = pointerTo(name).slice(1)
      expect(token).not.toContain('/')
      expect(token.replaceAll('~1', '/').replaceAll('~0', '~')).toBe(name)
    })
  )
})
