/** Tests length: it counts characters, words and lines, and compares them with the limits. */
import { expect, test } from '@jest/globals'
import { aVersion, found } from '../a-version.ts'

test.each<[string, string, number]>([
  ['characters', 'abc', 3],
  ['characters', ' abc\n', 3],
  ['characters', '👍🏽é', 3],
  ['characters', '', 0],
  ['words', 'one two\tthree\n\nfour', 4],
  ['words', 'zwölf Größen — fünf', 4],
  ['words', '东京 is 大', 4],
  ['words', '   ', 0],
  ['lines', 'a', 1],
  ['lines', 'a\nb\r\nc', 3],
  ['lines', '', 0]
])('counts %s of %j', (unit, output, value) => {
  const version = aVersion('heuristic', { check: 'length', max: 1000, unit })
  expect(found(version, { output })).toMatchObject({ data_type: 'numeric', value, passed: true })
})

test.each<[object, boolean, RegExp]>([
  [{ min: 3, max: 3 }, true, /has 3 words\.$/],
  [{ min: 4 }, false, /has 3 words, fewer than 4\.$/],
  [{ max: 2 }, false, /has 3 words, more than 2\.$/],
  [{ min: 0 }, true, /has 3 words\.$/]
])('compares three words with %j', (bounds, passed, reason) => {
  const version = aVersion('heuristic', { check: 'length', unit: 'words', ...bounds })
  expect(found(version, { output: 'one two three' })).toMatchObject({
    passed,
    reason: expect.stringMatching(reason)
  })
})

test('uses the singular noun for a count of one', () => {
  const version = aVersion('heuristic', { check: 'length', min: 1, unit: 'lines' })
  expect(found(version, { output: 'a' })).toMatchObject({ reason: 'The output has 1 line.' })
})
