/** Tests that the syntax check agrees with JSON.parse on every text and locates the error. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { syntaxErrorAt } from '../../../../core/json/json-syntax.ts'
import { stepCharacters } from '../../../../core/json/steps.ts'
import { parsingCases } from '../../../support/exactness/suite-bytes.ts'
import { fragmentSoup, mutatedText, valueText } from './json-texts.ts'

const deep = 1000

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

describe('agrees with JSON.parse', () => {
  test('on every text that is JSON', () => {
    fc.assert(
      fc.property(valueText, (text) => syntaxErrorAt(text, deep) === null),
      { numRuns: 1000 }
    )
  })

  test('on texts with mistakes in them', () => {
    fc.assert(
      fc.property(mutatedText, (text) => {
        expect(syntaxErrorAt(text, deep) === null).toBe(isJson(text))
      }),
      { numRuns: 5000 }
    )
  })

  test.each(parsingCases.map(({ name, bytes }) => [name, bytes.toString()]))(
    'on %s of the parsing suite',
    (_name, text) => {
      expect(syntaxErrorAt(text, 100_000) === null).toBe(isJson(text))
    }
  )

  test('on fragments in any order', () => {
    fc.assert(
      fc.property(fragmentSoup, (text) => {
        expect(syntaxErrorAt(text, deep) === null).toBe(isJson(text))
      }),
      { numRuns: 5000 }
    )
  })
})

test('finds the same position, wherever a step ends', () => {
  fc.assert(
    fc.property(fc.oneof(mutatedText, fragmentSoup), fc.nat(40), (rest, back) => {
      const long = 'x'.repeat(stepCharacters - back)
      for (const open of ['["', '["",']) {
        const at = syntaxErrorAt(`${open}${rest}`, deep)
        // An error within a string is located at the beginning of the string.
        const place = at === null || at < 2 ? at : at + long.length
        expect(syntaxErrorAt(`["${long}${open.slice(2)}${rest}`, deep)).toBe(place)
      }
    }),
    { numRuns: 1000 }
  )
})

test('the text before the position is not wrong yet', () => {
  fc.assert(
    fc.property(fc.oneof(mutatedText, fragmentSoup), (text) => {
      const at = syntaxErrorAt(text, deep)
      if (at === null) return
      expect(at).toBeLessThanOrEqual(text.length)
      expect([null, at]).toContain(syntaxErrorAt(text.slice(0, at), deep))
    }),
    { numRuns: 2000 }
  )
})

test.each([
  ['', 0],
  ['  ', 2],
  ['{"a":1,}', 7],
  ['{"a":1', 6],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['{"a":1 "b":2}', 7],
  ['{"a":[1,2}', 9],
  ['[1,]', 3],
  ['[}', 1],
  ['[1 2]', 3],
  ['[01]', 1],
  ['[1.]', 1],
  ['[+1]', 1],
  ['[.5]', 1],
  ['[1e]', 1],
  ['[-]', 1],
  ['[NaN]', 1],
  ['[nul]', 1],
  ['["\\x"]', 1],
  ['["\\u12g4"]', 1],
  ['["a\nb"]', 1],
  ['["open', 1],
  ['{} {}', 3],
  ['1 // note', 2],
  ['\ufeff{}', 0],
  ['\u00a01', 0]
])('in %j the position is %d', (text, at) => {
  expect(syntaxErrorAt(text, deep)).toBe(at)
})

describe('depth', () => {
  test('may reach the limit', () => {
    expect(syntaxErrorAt(nested(64), 64)).toBeNull()
    expect(syntaxErrorAt(`{"a":${nested(63)}}`, 64)).toBeNull()
  })

  test('beyond the limit is located at the first bracket too many', () => {
    expect(syntaxErrorAt(nested(65), 64)).toBe(64)
    expect(syntaxErrorAt('['.repeat(1_000_000), 64)).toBe(64)
  })

  test('counts adjacent brackets once', () => {
    expect(syntaxErrorAt(`[${'[],'.repeat(1000)}[]]`, 2)).toBeNull()
  })
})

/** Each string fits into a body, whose limit is 10 MiB. */
test.each([
  ['plain characters', 'a', 10_000_000],
  ['short escapes', '\\n', 5_000_000],
  ['escapes between characters', '\\u0041a', 1_400_000]
])('handles a string of 10 MB of %s like a short one', (_, unit, count) => {
  const open = `{"output":"${unit.repeat(count)}"`
  expect(syntaxErrorAt(`${open}}`, deep)).toBeNull()
  expect(syntaxErrorAt(open, deep)).toBe(open.length)
})

test('counts millions of levels', () => {
  expect(syntaxErrorAt(nested(2_000_000), Number.POSITIVE_INFINITY)).toBeNull()
  expect(syntaxErrorAt('{"a":['.repeat(500_000), Number.POSITIVE_INFINITY)).toBe(3_000_000)
  expect(syntaxErrorAt(`${'['.repeat(500_000)}}`, Number.POSITIVE_INFINITY)).toBe(500_000)
})
