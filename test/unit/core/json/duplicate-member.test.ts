/** A member that comes twice is found at any depth, whatever its spelling. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findDuplicateMember } from '../../../../core/json/duplicate-member.ts'
import { scanItems } from '../../../../core/json/json-items.ts'
import { cutMembers } from '../../../support/exactness/cut-members.ts'
import { valueText } from './json-texts.ts'

test.each([
  ['{"a":1,"a":2}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"\\u0061":1,"a":2}', '/a'],
  ['{"\\"":1,"\\u0022":2}', '/"'],
  ['{"":1,"":2}', '/'],
  ['{"__proto__":1,"__proto__":2}', '/__proto__'],
  ['{"1":1,"1":2}', '/1'],
  ['{"a":{"b":1},"b":1,"c":[0,{"x/y":{"d":1 , "d" : 2}}]}', '/c/1/x~1y/d'],
  ['[[1,2],{"a":[],"a":[]}]', '/1/a'],
  ['[{"a":1},{"a":1}]', null],
  ['{"a":{"a":{"a":[{"a":1}]}}}', null],
  ['{"a":"a","b":"a\\":","c":["a","a"]}', null],
  ['{"constructor":1,"toString":2,"1":3,"01":4}', null],
  ['"a"', null],
  [' [ ] ', null]
])('%s: %j', (text, pointer) => {
  expect(findDuplicateMember(text)).toBe(pointer)
})

test('finds one exactly where a reader by the grammar does', () => {
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(valueText, (text) => {
      const isRepeated = repeatsOne(text)
      seen.add(isRepeated)
      expect(findDuplicateMember(text) !== null).toBe(isRepeated)
    }),
    { seed: 20_261_123, numRuns: 1000 }
  )
  expect(seen.size).toBe(2)
})

function repeatsOne(text: string): boolean {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) {
    const items = scanItems(text, text.indexOf('['), Number.POSITIVE_INFINITY)?.items ?? []
    return items.some(({ start, end }) => repeatsOne(text.slice(start, end)))
  }
  if (typeof value !== 'object' || value === null) return false
  const members = cutMembers(Buffer.from(text))
  const names = new Set(members.map(({ name }) => name))
  return names.size < members.length || members.some((each) => repeatsOne(String(each.value)))
}
