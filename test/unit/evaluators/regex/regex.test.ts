/** Tests regex: matches, forbidden matches, targets, and reasons that do not quote the match. */
import { expect, test } from '@jest/globals'
import { searchedCharactersMax } from '../../../../evaluators/regex/regex.ts'
import { aVersion, found } from '../a-version.ts'

const order = { pattern: String.raw`\bORD-\d{6}\b` }

test.each<[string, object, object, boolean]>([
  ['a match', order, { output: 'See ORD-123456.' }, true],
  ['no match', order, { output: 'See order 123456.' }, false],
  ['another case', order, { output: 'see ord-123456.' }, false],
  ['another case with the flag i', { ...order, flags: 'i' }, { output: 'see ord-123456.' }, true],
  ['whitespace at the ends', { pattern: '^yes$' }, { output: 'yes\n' }, false],
  ['a forbidden pattern without a match', { ...order, must_match: false }, { output: 'No.' }, true],
  [
    'a forbidden pattern with a match',
    { ...order, must_match: false },
    { output: 'ORD-123456' },
    false
  ],
  [
    'a prompt',
    { pattern: 'order 4711', target: 'input' },
    { input: '"where is order 4711"' },
    true
  ],
  [
    'messages, one per line',
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
    'nested metadata',
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
    'an escaped name',
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

test('reports only the position of a forbidden match', () => {
  const version = aVersion('regex', { pattern: 'secret-[a-z]+', must_match: false })
  const finding = found(version, { output: 'Here: secret-abc' })
  expect(finding).toMatchObject({
    reason: 'The pattern matches the output at character 7.',
    evidence: [{ path: '/output', quote: null, start: 6, end: 16 }]
  })
  expect(JSON.stringify(finding)).not.toContain('abc')
})

test.each<[string, object, object, string]>([
  ['an absent member', { target: 'metadata.x' }, { metadata: '{"a":1}' }, 'content_missing'],
  ['no metadata', { target: 'metadata.x' }, { metadata: null }, 'content_missing'],
  ['null', { target: 'metadata.x' }, { metadata: '{"x":null}' }, 'content_missing'],
  ['too long', {}, { output: 'a'.repeat(searchedCharactersMax + 1) }, 'content_too_large']
])('skips %s', (_, config, decision, reason) => {
  const version = aVersion('regex', { pattern: 'a', ...config })
  expect(found(version, decision)).toEqual({ kind: 'skipped', status_reason: reason })
})
