/** Tests json_valid: it checks an output only if JSON was requested or is always required, and
 * names the problem.
 */
import { expect, test } from '@jest/globals'
import { jsonValid } from '../../../../evaluators/heuristics/json-valid.ts'
import { aSubject } from '../a-subject.ts'
import { aVersion, found } from '../a-version.ts'

const input = JSON.stringify({ prompt: 'Return a JSON object with the keys a and b.' })

const valid: [string, string][] = [
  ['an object', ' {"a": 1, "b": [true, null]}\n'],
  ['an array', '[]'],
  ['numbers beyond what a double holds', '{"a": 12345678901234567890, "b": 1e999}'],
  ['a code block', '```json\n{"a": 1}\n```'],
  ['a code block without a name', '```\r\n[1]\r\n```'],
  ['a member called __proto__', '{"__proto__": {"a": 1}}']
]

test.each(valid)('passes %s', (_, output) => {
  expect(jsonValid.evaluate(aSubject({ input, output }))).toMatchObject({ value: 1, passed: true })
})

const invalid: [string, string, RegExp][] = [
  ['plain text', 'The keys are a and b.', /plain text/],
  ['text before it', 'Here it is: {"a": 1}', /other text/],
  ['text after it', '{"a": 1} I hope this helps.', /error/],
  ['a trailing comma', '{"a": 1,}', /error/],
  ['single quotes', "{'a': 1}", /error/],
  ['a truncated object', '{"a": [1, 2', /is cut off/],
  ['a truncated block', '```json\n{"a": 1', /other text/],
  ['an error within a block', '```json\n{"a": NaN}\n```', /error/],
  ['fences alone', '```json\n```', /plain text/]
]

test.each(invalid)('fails %s', (_, output, reason) => {
  expect(jsonValid.evaluate(aSubject({ input, output }))).toMatchObject({
    value: 0,
    passed: false,
    reason: expect.stringMatching(reason)
  })
})

const skipped = { kind: 'skipped', status_reason: 'not_applicable' }

test('skips an output if JSON was not requested', () => {
  expect(jsonValid.evaluate(aSubject({ output: 'Yes, you may.' }))).toEqual(skipped)
})

test('skips an empty output', () => {
  expect(jsonValid.evaluate(aSubject({ input, output: ' ' }))).toEqual(skipped)
})

test('skips an output that is too large to parse', () => {
  const output = `{"a": "${'x'.repeat(300_000)}"}`
  expect(jsonValid.evaluate(aSubject({ input, output }))).toEqual({
    kind: 'skipped',
    status_reason: 'content_too_large'
  })
})

test('checks an output without a request if JSON is always required', () => {
  const check = 'json_valid'
  const always = aVersion('heuristic', { check, when: 'always' })
  expect(found(always, { output: 'Hello.' })).toMatchObject({ passed: false })
  expect(found(always, { output: '{"a":1}' })).toMatchObject({ passed: true })
  const asked = aVersion('heuristic', { check, when: 'asked' })
  expect(found(asked, { output: 'Hello.' })).toMatchObject({ kind: 'skipped' })
})
