/** Tests that removing whitespace keeps every digit, key and character. */
import { expect, test } from '@jest/globals'
import { withoutSpace } from '../../../../core/json/without-space.ts'
import { delicateValues } from '../../../support/exactness/corpora.ts'

test.each([
  ['{\n  "k" :  [ ]  ,\n  "l":\t{ }\n}', '{"k":[],"l":{}}'],
  ['[ 1.10 ,\r\n-0 , 1E+2 ]', '[1.10,-0,1E+2]'],
  [' "a \\" b" ', '"a \\" b"'],
  ['{"a  b\\\\" : "c \\\\\\" : d"}', '{"a  b\\\\":"c \\\\\\" : d"}'],
  ['null', 'null']
])('%j', (text, line) => {
  expect(withoutSpace(text)).toBe(line)
})

test.each(delicateValues)('is on one line with the same value: %j', (text) => {
  const line = withoutSpace(text)
  expect(line).not.toMatch(/[\r\n]/)
  expect(JSON.parse(line)).toEqual(JSON.parse(text))
  expect(withoutSpace(line)).toBe(line)
})
