/** Tests that a duplicate member is found at any depth and in any spelling. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findDuplicateMember } from '../../../../core/json/duplicate-member.ts'
import { scanItemsSteps } from '../../../../core/json/json-items.ts'
import { runSteps, stepCharacters } from '../../../../core/json/steps.ts'
import { cutMembers } from '../../../support/exactness/cut-members.ts'
import { valueText } from './json-texts.ts'

/** Runs all steps without interruption and counts them. */
function search(text: string): { pointer: string | null; steps: number } {
  const found = findDuplicateMember(text)
  for (let steps = 1; ; steps++) {
    const step = found.next()
    if (step.done === true) return { pointer: step.value, steps }
  }
}

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
  expect(search(text)).toEqual({ pointer, steps: 1 })
})

test('finds a duplicate exactly where a grammar-based reader does', () => {
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(valueText, (text) => {
      const isRepeated = repeatsOne(text)
      seen.add(isRepeated)
      expect(search(text).pointer !== null).toBe(isRepeated)
    }),
    { seed: 20_261_123, numRuns: 1000 }
  )
  expect(seen.size).toBe(2)
})

test('works on a long text in steps', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `"${index}":1`)
  const text = `{${names.join(',')}}`
  const steps = Math.ceil(text.length / stepCharacters)
  expect(steps).toBeGreaterThan(10)
  expect(search(text)).toEqual({ pointer: null, steps })
  expect(search(text.replace('"99999"', '"\\u0030"'))).toEqual({ pointer: '/0', steps })
})

function repeatsOne(text: string): boolean {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) {
    const scanned = runSteps(scanItemsSteps(text, text.indexOf('['), Number.POSITIVE_INFINITY))
    const items = scanned?.items ?? []
    return items.some(({ start, end }) => repeatsOne(text.slice(start, end)))
  }
  if (typeof value !== 'object' || value === null) return false
  const members = cutMembers(Buffer.from(text))
  const names = new Set(members.map(({ name }) => name))
  return names.size < members.length || members.some((each) => repeatsOne(String(each.value)))
}
