/** regex: what matches, what must not, where it is looked for, and what is never said again. */
import { expect, test } from '@jest/globals'
import { searchedCharactersMax } from '../../../../evaluators/regex/regex.ts'
import { aVersion, found } from '../a-version.ts'

const order = { pattern: String.raw`\bORD-\d{6}\b` }

test.each<[string, object, object, boolean]>([
  ['it matches', order, { output: 'See ORD-123456.' }, true],
  ['it does not', order, { output: 'See order 123456.' }, false],
  ['case counts', order, { output: 'see ord-123456.' }, false],
  ['unless it is to be passed over', { ...order, flags: 'i' }, { output: 'see ord-123456.' }, true],
  ['the whole output, white space too', { pattern: '^yes$' }, { output: 'yes\n' }, false],
  ['it must not match and does not', { ...order, must_match: false }, { output: 'No.' }, true],
  ['it must not match and does', { ...order, must_match: false }, { output: 'ORD-123456' }, false],
  [
    'a prompt',
    { pattern: 'order 4711', target: 'input' },
    { input: '"where is order 4711"' },
    true
  ],
  [
    'messages, one to a line',
    { pattern: '^hi$', flags: 'm', target: 'input' },
    { input: '[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]' },
    true
  ],
  [
    'metadata',
    { pattern: '^gold$', target: 'metadata.tier' },
    { metadata: '{"tier":"gold"}' },
    true
  ],
  [
    'metadata further in',
    { pattern: '^g', target: 'metadata.a.tier' },
    { metadata: '{"a":{"tier":"gold"}}' },
    true
  ],
  [
    'a name with a dot',
    { pattern: '^g', target: 'metadata.a.tier' },
    { metadata: '{"a.tier":"gold"}' },
    true
  ],
  [
    'a name that is written with an escape',
    { pattern: '^g', target: 'metadata.tier' },
    { metadata: String.raw`{"ti\u0065s":1,"ti\u0065r":"gold"}` },
    true
  ],
  [
    'a number, digit for digit',
    { pattern: '^12345678901234567890$', target: 'metadata.id' },
    { metadata: '{"id":12345678901234567890}' },
    true
  ],
  ['emoji and other scripts', { pattern: '^👍 好+$' }, { output: '👍 好好' }, true]
])('%s', (_, config, decision, passed) => {
  const value = passed ? 1 : 0
  expect(found(aVersion('regex', { ...config }), decision)).toMatchObject({ passed, value })
})

test('what must not be there is told by its place alone', () => {
  const version = aVersion('regex', { pattern: 'secret-[a-z]+', must_match: false })
  const finding = found(version, { output: 'Here: secret-abc' })
  expect(finding).toMatchObject({
    reason: 'The pattern matches the output at character 7.',
    evidence: [{ path: '/output', quote: null, start: 6, end: 16 }]
  })
  expect(JSON.stringify(finding)).not.toContain('abc')
})

test.each<[string, object, object, string]>([
  ['no such member', { target: 'metadata.x' }, { metadata: '{"a":1}' }, 'content_missing'],
  ['no metadata', { target: 'metadata.x' }, { metadata: null }, 'content_missing'],
  ['null', { target: 'metadata.x' }, { metadata: '{"x":null}' }, 'content_missing'],
  ['too long', {}, { output: 'a'.repeat(searchedCharactersMax + 1) }, 'content_too_large']
])('skips %s', (_, config, decision, reason) => {
  const version = aVersion('regex', { pattern: 'a', ...config })
  expect(found(version, decision)).toEqual({ kind: 'skipped', status_reason: reason })
})
