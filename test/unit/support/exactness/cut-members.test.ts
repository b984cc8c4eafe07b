/** The reader of the exactness tests cuts bytes by the grammar and takes nothing else. */
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

test('one member is asked for by a name that is there once', () => {
  expect(cutMember(Buffer.from('{"a":1e400,"b":2}'), 'a').toString()).toBe('1e400')
  expect(() => cutMember(Buffer.from('{"a":1,"a":1}'), 'a')).toThrow('not one "a"')
  expect(() => cutMember(Buffer.from('{}'), 'a')).toThrow('not one "a"')
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
])('%s is no object', (text) => {
  expect(() => cuts(text)).toThrow(SyntaxError)
})

test('of the parsing suite it reads what must be read and nothing that must not', () => {
  const isRead = (bytes: Buffer): boolean => {
    try {
      return cutMembers(Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')])).length === 1
    } catch {
      return false
    }
  }
  // It reads bytes: that what is no UTF-8 must not be read is not its business.
  const cases = parsingCases.filter(({ bytes, verdict }) => {
    return verdict === 'accept' || (verdict === 'refuse' && !bytes.toString().includes('\ufffd'))
  })
  for (const { name, bytes, verdict } of cases) {
    expect([name, isRead(bytes)]).toEqual([name, verdict === 'accept'])
  }
})
