/** Tests regular expressions that customers define: matches, rejections, and linear time. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { PatternError, compileLinearRegex } from '../../../../platform/validation/linear-regex.ts'

describe('matches', () => {
  test.each<[string, string, string, boolean]>([
    ['refund', '', 'a refund is due', true],
    ['REFUND', '', 'a refund is due', false],
    ['REFUND', 'i', 'a refund is due', true],
    ['^b$', '', 'a\nb\nc', false],
    ['^b$', 'm', 'a\nb\nc', true],
    ['a.b', '', 'a\nb', false],
    ['a.b', 's', 'a\nb', true],
    ['^.$', '', '👍', true],
    [String.raw`^\p{L}+$`, '', 'Größe是', true],
    [String.raw`^\u0041\d{2,3}$`, '', 'A42', true],
    [String.raw`(?<year>\d{4})-\d\d`, '', 'on 2026-01-02', true],
    ['Straße', 'i', 'STRASSE', false],
    ['a\u0000b', '', 'a\u0000b', true]
  ])('%s with the flags "%s" on %j', (pattern, flags, text, matches) => {
    expect(compileLinearRegex(pattern, flags).test(text)).toBe(matches)
  })

  test('find returns positions in code units', () => {
    expect(compileLinearRegex('b+').find('👍abbb')).toEqual({ start: 3, end: 6 })
    expect(compileLinearRegex('b+').find('aaa')).toBeNull()
  })

  test('matches like JavaScript for plain patterns', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '..',
      'a?',
      'b{1,2}',
      '(?:ab|c)',
      '^',
      '$',
      'c*'
    )
    const patterns = fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join(''))
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(compileLinearRegex(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text))
      })
    )
  })
})

describe('rejected patterns', () => {
  test.each<[string, string, RegExp]>([
    ['(?=a)b', '', /must not use lookahead/],
    ['(?<!a)b', '', /must not use lookahead or lookbehind/],
    [String.raw`(a)\1`, '', /back references/],
    ['a(', '', /missing closing \)/],
    ['[z-a]', '', /z-a/],
    ['a{1001}', '', /repeat count/],
    ['(?:[a-z]{1,30}[^x]?[0-9]{1,20}){1,19}(?:b{1,900}c)', '', /too large/],
    ['a'.repeat(1001), '', /at most 1000 characters/],
    ['a', 'g', /flag g is not one of i, m, s/]
  ])('%s %s', (pattern, flags, reason) => {
    const compile = () => compileLinearRegex(pattern, flags)
    expect(compile).toThrow(PatternError)
    expect(compile).toThrow(reason)
  })

  test('compiles any text or rejects it with a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (pattern) => {
        try {
          compileLinearRegex(pattern).test('abc')
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError)
        }
      })
    )
  })
})

/** For each pattern, a backtracking engine would take longer than the age of the universe. */
test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', String.raw`^(\w+\s?)*$`, '(.*)*x', '(x+x+)+y'])(
  'ends on a text that is built to block it: %s',
  (pattern) => {
    const text = `${'a'.repeat(20_000)}!${'x'.repeat(5000)}`
    expect(compileLinearRegex(pattern).find(text)?.end ?? 0).toBeLessThanOrEqual(text.length)
  }
)
