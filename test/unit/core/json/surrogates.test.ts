/** Tests that an unpaired surrogate is found if and only if the parsed string is not well-formed.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { hasLoneSurrogate, loneSurrogateSteps } from '../../../../core/json/surrogates.ts'
import { runSteps, stepCharacters } from '../../../../core/json/steps.ts'
import { stringText, surrogateText, valueText } from './json-texts.ts'

/** Checks whether all strings and names in a JSON value are well-formed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => name.isWellFormed() && isWellFormed(item))
}

test.each([
  ['strings full of surrogates', surrogateText],
  ['all strings', stringText]
])('agrees with isWellFormed on %s', (_, arbitrary) => {
  fc.assert(
    fc.property(arbitrary, (text) => {
      expect(hasLoneSurrogate(text)).toBe(!(JSON.parse(text) as string).isWellFormed())
    }),
    { numRuns: 3000 }
  )
})

test('finds them in steps, wherever a step ends', () => {
  fc.assert(
    fc.property(surrogateText, fc.nat(40), (text, back) => {
      const long = `"${'\\n'.repeat((stepCharacters - back) / 2)}`
      expect(runSteps(loneSurrogateSteps(long + text.slice(1)))).toBe(hasLoneSurrogate(text))
    }),
    { numRuns: 500 }
  )
})

test('finds nothing in a value without one, wherever its strings are', () => {
  fc.assert(
    fc.property(valueText, (text) => {
      // Only this direction can be checked, because JSON.parse drops the first value of a repeated
      // name.
      if (!hasLoneSurrogate(text)) expect(isWellFormed(JSON.parse(text))).toBe(true)
    }),
    { numRuns: 1000 }
  )
})

test.each([
  ['""', false],
  ['"😀"', false],
  ['"\\ud83d\\ude00"', false],
  ['"\\uD83D\\uDE00\\uD83D\\uDE00"', false],
  ['"\\ud83d"', true],
  ['"\\ude00"', true],
  ['"\\ude00\\ud83d"', true],
  ['"\\ud83d\\ud83d\\ude00"', true],
  ['"\\ud83d\\ude00\\ude00"', true],
  ['"\\ud83d \\ude00"', true],
  ['"\\ud83d\\n\\ude00"', true],
  ['"\\\\ud83d"', false],
  ['"\\\\\\ud83d"', true],
  ['"\\ud83d\\\\ude00"', true],
  ['"\\u005cud83d"', false],
  ['"\\ud7ff\\ue000"', false],
  ['{"\\ud83d":1}', true],
  ['[1,{"a":"\\udfff"}]', true],
  ['"\\ud8', false]
])('in %s the result is %s', (text, expected) => {
  expect(hasLoneSurrogate(text)).toBe(expected)
})
