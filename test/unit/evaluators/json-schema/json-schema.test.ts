/** json_schema: what fits, what does not and where, and what is no JSON at all. */
import { expect, test } from '@jest/globals'
import { aVersion, found } from '../a-version.ts'

const schema = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', minimum: 0 }, note: { type: 'string' } },
  additionalProperties: false
}
const inBlock = '```json\n{"amount": 1}\n```'

test.each<[string, object, object, boolean]>([
  ['fits', {}, { output: ' {"amount": 12.5, "note": "ok"}\n' }, true],
  ['a missing member', {}, { output: '{"note":"x"}' }, false],
  ['a value below the bound', {}, { output: '{"amount":-1}' }, false],
  ['text', {}, { output: 'The amount is 12.5.' }, false],
  ['a code block, which is not the whole', {}, { output: inBlock }, false],
  ['a code block', { extract: 'code_fence' }, { output: `Here:\n${inBlock}\nDone.` }, true],
  [
    'no code block where one is looked for',
    { extract: 'code_fence' },
    { output: '{"amount":1}' },
    true
  ],
  [
    'a block that never closes',
    { extract: 'code_fence' },
    { output: 'a\n```\n{"amount":1}' },
    false
  ],
  ['the input', { target: 'input' }, { input: '{"amount":3}' }, true],
  ['metadata', { target: 'metadata.bill' }, { metadata: '{"bill":{"amount":"3"}}' }, false],
  ['names with escapes', {}, { output: String.raw`{"\u0061mount":1}` }, true],
  [
    'names with escapes that differ late',
    {},
    { output: String.raw`{"amoun\u0074":1,"amoun\u0073":2}` },
    false
  ],
  ['a name of the prototype', {}, { output: '{"amount":1,"__proto__":{}}' }, false]
])('%s', (_, config, decision, passed) => {
  const version = aVersion('json_schema', { schema, ...config })
  expect(found(version, decision)).toMatchObject({ passed, data_type: 'boolean' })
})

test('the reason names the schema, the evidence the place, and neither the value', () => {
  const output = '{"amount":1,"jane@doe.example":"4111"}'
  const finding = found(aVersion('json_schema', { schema }), { output })
  expect(finding).toMatchObject({
    reason: 'The output does not fit the schema: is not known here (/additionalProperties).',
    evidence: [{ path: '/output', quote: null, start: null, end: null }]
  })
  const inner = found(aVersion('json_schema', { schema }), { output: '{"amount":"4111"}' })
  expect(inner).toMatchObject({ evidence: [{ path: '/output/amount' }] })
  expect(JSON.stringify(inner)).not.toContain('4111')
})

test.each<[string, object, object, string]>([
  ['no such member', { target: 'metadata.bill' }, { metadata: '{}' }, 'content_missing'],
  ['too long', {}, { output: `"${'a'.repeat(262_144)}"` }, 'content_too_large'],
  ['too deep', {}, { output: '['.repeat(5000) + ']'.repeat(5000) }, 'content_too_large']
])('skips %s', (_, config, decision, reason) => {
  const version = aVersion('json_schema', { schema, ...config })
  expect(found(version, decision)).toEqual({ kind: 'skipped', status_reason: reason })
})
