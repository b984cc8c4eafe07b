/** Tests that the JSON reader of the exactness tests extracts bytes and rejects invalid JSON. */
import { expect, test } from '@jest/globals'
import { cutMember, cutMembers } from '../../../support/exactness/cut-members.ts'
import { parsingCases } from '../../../support/exactness/suite-bytes.ts'

function cuts(text: string): [string, string][] {
  return cutMembers(Buffer.from(text)).map(({ name, value }) => [name, value.toString()])
}

test.each<[string, [string, string][]]>([
  ['{}', []],
  [
    ' { "a" : 1.0 , "b":[ 1 , {} ] }\n',
    [
      ['a', '1.0'],
      ['b', '[ 1 , {} ]']
    ]
  ],
  [
    '{"a":1,"\\u0061":"}"}',
    [
      ['a', '1'],
      ['a', '"}"']
    ]
  ],
  ['{"é":"\\"👟"}', [['é', '"\\"👟"']]]
])('%s', (text, expected) => {
  expect(cuts(text)).toEqual(expected)
})

test('cutMember returns the value of a name that occurs once', () => {
  expect(cutMember(Buffer.from('{"a":1e400,"b":2}'), 'a').toString()).toBe('1e400')
  expect(() => cutMember(Buffer.from('{"a":1,"a":1}'), 'a')).toThrow('not exactly one "a"')
  expect(() => cutMember(Buffer.from('{}'), 'a')).toThrow('not exactly one "a"')
})

test.each([
  '',
  '[]',
  '{',
  '{"a":}',
  '{"a":1,}',
  '{"a":01}',
  '{"a":1}{',
  '{a:1}',
  '{"a" 1}',
  '{"a":tru}'
])('rejects %s', (text) => {
  expect(() => cuts(text)).toThrow(SyntaxError)
})

test('accepts and rejects the cases of the parsing suite as required', () => {
  const isRead = (bytes: Buffer): boolean => {
    try {
      return cutMembers(Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')])).length === 1
    } catch {
      return false
    }
  }
  // Excludes cases that a parser may accept or reject, and cases with invalid UTF-8, which the
  // reader does not detect because it works on bytes.
  const cases = parsingCases.filter(({ bytes, verdict }) => {
    return verdict === 'accept' || (verdict === 'refuse' && !bytes.toString().includes('\ufffd'))
  })
  for (const { name, bytes, verdict } of cases) {
    expect([name, isRead(bytes)]).toEqual([name, verdict === 'accept'])
  }
})
