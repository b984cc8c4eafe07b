/** Tests that the scan finds the same members as JSON.parse, in any text. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { membersMax, scanMembers, skipSpace } from '../../../../core/json/json-members.ts'
import { scanMembersSteps } from '../../../../core/json/json-member-steps.ts'
import { runSteps, stepCharacters } from '../../../../core/json/steps.ts'
import { cutMembers } from '../../../support/exactness/cut-members.ts'
import { fragmentSoup, mutatedText, objectText } from './json-texts.ts'

const deep = 1000
/** The seed is fixed, so that every run uses the same texts. */
const seed = 20_261_121

/** Returns the name and the text of each member that the scan finds. */
function slices(text: string, depthMax = deep): [string, string][] {
  const { members } = scanMembers(text, text.indexOf('{'), depthMax)
  return members.map(({ name, start, end }) => [name, text.slice(start, end)])
}

/**
 * Returns the members found by the reader that the exactness tests use. Null if the text is not a
 * JSON object.
 */
function cutsOf(text: string): [string, string][] | null {
  try {
    return cutMembers(Buffer.from(text)).map(({ name, value }) => [name, value.toString()])
  } catch {
    return null
  }
}

function isObject(text: string): boolean {
  try {
    return /^\s*\{/.test(text) && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

describe('valid JSON', () => {
  test('is cut into the members it was built from', () => {
    fc.assert(
      fc.property(objectText, ({ text, members }) => {
        const expected = members.map(({ name, value }) => [JSON.parse(name) as string, value])
        expect(slices(text)).toEqual(expected)
      }),
      { numRuns: 1000 }
    )
  })

  test('yields what JSON.parse yields, the last of several members of one name', () => {
    fc.assert(
      fc.property(objectText, ({ text, members }) => {
        // V8's JSON.parse can misread an escaped name (nodejs/node#63785).
        fc.pre(members.every(({ name }) => !name.includes('\\')))
        const parsed = JSON.parse(text) as object
        const last = new Map(slices(text))
        expect([...last.keys()].sort()).toEqual(Object.keys(parsed).sort())
        for (const [name, slice] of last) {
          expect(JSON.parse(slice)).toEqual(Object.getOwnPropertyDescriptor(parsed, name)?.value)
        }
      }),
      { numRuns: 1000 }
    )
  })

  test('is cut as an independent reader cuts it, with and without mistakes in it', () => {
    const object = objectText.map(({ text }) => text)
    const slipped = fc
      .tuple(object, mutatedText)
      .map(([text, slip]) => `${text.slice(0, -1)}${slip}}`)
    const text = fc.oneof(
      object,
      slipped,
      mutatedText,
      fragmentSoup.map((soup) => `{${soup}}`)
    )
    const property = fc.property(text, (body) => {
      fc.pre(body.isWellFormed())
      const cuts = cutsOf(body)
      expect(cuts === null).toBe(!isObject(body))
      if (cuts !== null) expect(slices(body)).toEqual(cuts)
    })
    fc.assert(property, { seed, numRuns: 5000 })
  })

  test.each<[string, string, [string, string][]]>([
    ['no members', '{ }', []],
    ['digits beyond 2^53', '{"n":12345678901234567890}', [['n', '12345678901234567890']]],
    ['a number that overflows', '{"n": 1e400 }', [['n', '1e400']]],
    ['__proto__ as plain data', '{"__proto__":{"a":1}}', [['__proto__', '{"a":1}']]],
    ['an escaped name', '{"\\u0069nput":null}', [['input', 'null']]],
    [
      'an escaped quote',
      '{"a":"\\"}","b":2}',
      [
        ['a', '"\\"}"'],
        ['b', '2']
      ]
    ],
    [
      'a backslash before the end of a string',
      '{"a":"\\\\","b":2}',
      [
        ['a', '"\\\\"'],
        ['b', '2']
      ]
    ],
    [
      'brackets in strings',
      '{"a":["}{][",{}],"b":0}',
      [
        ['a', '["}{][",{}]'],
        ['b', '0']
      ]
    ],
    [
      'a repeated name',
      '{"a":1,"a":2}',
      [
        ['a', '1'],
        ['a', '2']
      ]
    ]
  ])('finds %s', (_, text, expected) => {
    expect(slices(text)).toEqual(expected)
  })

  test('begins at the given position, not at the first brace', () => {
    const text = '[{"a":1},{"b":2}]'
    expect(scanMembers(text, 9, deep).members).toEqual([{ name: 'b', start: 14, end: 15 }])
  })
})

describe('depth', () => {
  test.each([
    [1, '{"a":1}', null],
    [1, '{"a":[]}', 'a'],
    [2, '{"a":[]}', null],
    [2, '{"a":"[[[["}', null],
    [2, '{"a":[],"b":{"c":[]}}', 'b'],
    [64, `{"a":${nested(63)}}`, null],
    [64, `{"a":${nested(64)}}`, 'a'],
    [64, `{"a":${'['.repeat(100_000)}`, 'a']
  ])('is limited to %d', (depthMax, text, tooDeepIn) => {
    expect(scanMembers(text, 0, depthMax).tooDeepIn).toBe(tooDeepIn)
  })

  test('keeps the members before the one that is nested too deep', () => {
    expect(slices('{"a":1,"b":[[]],"c":2}', 2)).toEqual([['a', '1']])
  })

  test('counts adjacent brackets once', () => {
    expect(scanMembers(`{"a":[${'[],'.repeat(1000)}[]]}`, 0, 3).tooDeepIn).toBeNull()
  })
})

describe('the number of members', () => {
  function membersText(count: number): string {
    return `{${Array.from({ length: count }, () => '"a":1').join(',')}}`
  }

  test('may reach the limit', () => {
    const { members, isTooMany } = scanMembers(membersText(membersMax), 0, deep)
    expect([members.length, isTooMany]).toEqual([membersMax, false])
  })

  test('ends the scan beyond the limit, however much text follows', () => {
    const { members, isTooMany } = scanMembers(membersText(1_000_000), 0, deep)
    expect([members.length, isTooMany]).toEqual([membersMax, true])
  })

  test('ignores a trailing comma and nested members', () => {
    const inner = membersText(membersMax + 1)
    expect(scanMembers(`{"a":${inner}}`, 0, deep).isTooMany).toBe(false)
    expect(scanMembers(`${membersText(membersMax).slice(0, -1)},}`, 0, deep).isTooMany).toBe(false)
  })
})

test('finds the same in steps, wherever a step ends', () => {
  const text = fc.oneof(mutatedText, fragmentSoup)
  fc.assert(
    fc.property(text, fc.nat(40), fc.integer({ min: 2, max: 8 }), (rest, back, depthMax) => {
      const long = 'x'.repeat(stepCharacters - back)
      for (const value of [`["${long}",${rest}`, `"${long}${rest}`]) {
        const body = `{"a":${value},"b":[${rest}]}`
        const found = runSteps(scanMembersSteps(body, 0, depthMax))
        expect(found).toEqual(scanMembers(body, 0, depthMax))
      }
    }),
    { numRuns: 1000 }
  )
})

describe('text that may not be JSON', () => {
  test('is scanned to an end, with cuts in order and within the text', () => {
    const text = fc.oneof(mutatedText, fragmentSoup, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 8 }), (rest, depthMax) => {
        const body = `{${rest}`
        let before = 0
        for (const { start, end } of scanMembers(body, 0, depthMax).members) {
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThanOrEqual(start)
          before = end
        }
        expect(before).toBeLessThanOrEqual(body.length)
      }),
      { numRuns: 3000 }
    )
  })

  test.each([
    '{',
    '{"',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a":"',
    '{"a":"\\',
    '{"a":{"b":"',
    '{"a":1,',
    '{"a\\q":1}',
    '{,}',
    '{1:2}'
  ])('ends in %s', (text) => {
    expect(scanMembers(text, 0, deep).tooDeepIn).toBeNull()
  })

  test('of many quotes and backslashes takes linear time', () => {
    const hostile = `{"a":"${'\\\\\\"'.repeat(500_000)}`
    expect(scanMembers(hostile, 0, deep).members).toHaveLength(1)
  })
})

test.each([
  ['', 0, 0],
  ['a', 0, 0],
  [' \t\r\n{', 0, 4],
  ['  ', 0, 2],
  ['{ }', 1, 2],
  ['\u00a0', 0, 0],
  ['\ufeff', 0, 0]
])('skipSpace moves in %j from %d to %d', (text, at, expected) => {
  expect(skipSpace(text, at)).toBe(expected)
})
