/** Tests json_schema: matching and non-matching values, reported locations, and invalid JSON. */
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
  ['a value below the minimum', {}, { output: '{"amount":-1}' }, false],
  ['text', {}, { output: 'The amount is 12.5.' }, false],
  ['a code block if the whole output counts', {}, { output: inBlock }, false],
  ['a code block', { extract: 'code_fence' }, { output: `Here:\n${inBlock}\nDone.` }, true],
  ['no code block', { extract: 'code_fence' }, { output: '{"amount":1}' }, true],
  ['an unclosed block', { extract: 'code_fence' }, { output: 'a\n```\n{"amount":1}' }, false],
  ['the input', { target: 'input' }, { input: '{"amount":3}' }, true],
  ['metadata', { target: 'metadata.bill' }, { metadata: '{"bill":{"amount":"3"}}' }, false],
  ['escaped names', {}, { output: String.raw`{"\u0061mount":1}` }, true],
  [
    'escaped names with a late difference',
    {},
    { output: String.raw`{"amoun\u0074":1,"amoun\u0073":2}` },
    false
  ],
  ['a name of the prototype', {}, { output: '{"amount":1,"__proto__":{}}' }, false]
])('%s', (_, config, decision, passed) => {
  const version = aVersion('json_schema', { schema, ...config })
  expect(found(version, decision)).toMatchObject({ passed, data_type: 'boolean' })
})

test('reports the locations in the schema and in the value, without the value', () => {
  const output = '{"amount":1,"jane@doe.example":"4111"}'
  const finding = found(aVersion('json_schema', { schema }), { output })
  expect(finding).toMatchObject({
    reason: 'The output does not match the schema: is an unknown property (/additionalProperties).',
    evidence: [{ path: '/output', quote: null, start: null, end: null }]
  })
  const inner = found(aVersion('json_schema', { schema }), { output: '{"amount":"4111"}' })
  expect(inner).toMatchObject({ evidence: [{ path: '/output/amount' }] })
  expect(JSON.stringify(inner)).not.toContain('4111')
})

test.each<[string, object, object, string]>([
  ['an absent member', { target: 'metadata.bill' }, { metadata: '{}' }, 'content_missing'],
  ['too long', {}, { output: `"${'a'.repeat(262_144)}"` }, 'content_too_large'],
  ['too deeply nested', {}, { output: '['.repeat(5000) + ']'.repeat(5000) }, 'content_too_large']
])('skips %s', (_, config, decision, reason) => {
  const version = aVersion('json_schema', { schema, ...config })
  expect(found(version, decision)).toEqual({ kind: 'skipped', status_reason: reason })
})
