/** Tests JSON as Python writes it. The expected texts are the output of Python's json.dumps. */
import { expect, test } from '@jest/globals'
import { writePythonJson } from '../../../../bench/load/python-json.ts'

test.each([
  [{ a: [1, 2.5, true, null], b: {}, c: [] }, '{"a": [1, 2.5, true, null], "b": {}, "c": []}'],
  ['"a"\n\\\t\u0001', String.raw`"\"a\"\n\\\t\u0001"`],
  [{ é: '了🙂~\u007f' }, String.raw`{"\u00e9": "\u4e86\ud83d\ude42~\u007f"}`]
])('writes %j', (value, expected) => {
  expect(writePythonJson(value)).toBe(expected)
})
