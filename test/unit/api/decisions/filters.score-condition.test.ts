/** Tests score conditions, which are parsed from the right because names can contain colons. */
import { expect, test } from '@jest/globals'
import { flawOf, readScoreCondition } from '../../../../api/decisions/filters.ts'

test.each([
  ['quality:ge:0.8', { name: 'quality', op: 'ge', value: 0.8 }],
  ['a:b:c:lt:-1e3', { name: 'a:b:c', op: 'lt', value: -1000 }],
  ['tone:eq:friendly', { name: 'tone', op: 'eq', value: 'friendly' }],
  ['tone:eq:passed', { name: 'tone', op: 'eq', value: 'passed' }],
  ['done:ne:true', { name: 'done', op: 'ne', value: true }],
  ['done:passed', { name: 'done', op: 'passed' }],
  ['a:passed:failed', { name: 'a:passed', op: 'failed' }],
  [':exists:exists', { name: ':exists', op: 'exists' }],
  ['n:eq:1e999', { name: 'n', op: 'eq', value: '1e999' }]
])('reads %s', (text, condition) => {
  expect(readScoreCondition(text)).toEqual(condition)
})

test.each([
  ...['', ':', 'quality', 'quality:', ':passed', ':eq:1', 'quality:gt', 'quality:eq:'],
  ...['quality:ge:high', 'quality:above:1', `${'n'.repeat(256)}:passed`]
])('refuses "%s"', (text) => {
  expect(readScoreCondition(text)).toBeNull()
})

test('describes what is wrong with a condition', () => {
  expect(flawOf({ name: 'n', op: 'eq' })).toContain('is required')
  expect(flawOf({ name: 'n', op: 'gt', value: true })).toContain('must be a number')
  expect(flawOf({ name: 'n', op: 'passed', value: 1 })).toContain('must be absent')
  expect(flawOf({ name: 'n', op: 'ne', value: 'a:b' })).toBeNull()
})
