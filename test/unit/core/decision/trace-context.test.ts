/** Tests which traceparent headers are propagated, as defined by W3C Trace Context. */
import { expect, test } from '@jest/globals'
import { traceparentOf } from '../../../../core/decision/trace-context.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'

test.each([
  ['sampled', `00-${trace}-${parent}-01`],
  ['not sampled', `00-${trace}-${parent}-00`],
  ['with flags that are not defined yet', `00-${trace}-${parent}-ff`],
  ['with ids that begin with zeros', `00-${'0'.repeat(31)}1-${'0'.repeat(15)}1-01`]
])('keeps a valid traceparent of version 00: %s', (_what, header) => {
  expect(traceparentOf(header)).toBe(header)
})

test.each([
  ['as long as version 00', `01-${trace}-${parent}-01`, '01'],
  ['with more fields after a dash', `cc-${trace}-${parent}-01-what-comes-later`, '01'],
  ['not sampled, of a later version', `fe-${trace}-${parent}-02`, '00'],
  ['with more flags', `01-${trace}-${parent}-ff`, '01']
])('propagates a later version as version 00: %s', (_what, header, flags) => {
  expect(traceparentOf(header)).toBe(`00-${trace}-${parent}-${flags}`)
})

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['a list', [`00-${trace}-${parent}-01`]],
  ['sent twice', `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`],
  ['of version ff', `ff-${trace}-${parent}-01`],
  ['of version 00 with more fields', `00-${trace}-${parent}-01-x`],
  ['of a later version with text but no dash after the flags', `01-${trace}-${parent}-01.x`],
  ['of a later version that is too short', `01-${trace}-${parent}`],
  ['with a trace id of zeros', `00-${'0'.repeat(32)}-${parent}-01`],
  ['with a parent id of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
  ['a later version with a trace id of zeros', `01-${'0'.repeat(32)}-${parent}-01`],
  ['in upper case', `00-${trace.toUpperCase()}-${parent}-01`],
  ['with a short trace id', `00-${trace.slice(1)}-${parent}-01`],
  ['with a short parent id', `00-${trace}-${parent.slice(1)}-01`],
  ['with one digit of flags', `00-${trace}-${parent}-1`],
  ['without flags', `00-${trace}-${parent}`],
  ['not hexadecimal', `00-${trace.replace('a', 'g')}-${parent}-01`],
  ['between spaces', ` 00-${trace}-${parent}-01 `],
  ['followed by a line break', `00-${trace}-${parent}-01\n`]
])('drops an invalid traceparent: %s', (_what, header) => {
  expect(traceparentOf(header)).toBeNull()
})
