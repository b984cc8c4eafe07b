/** Tests that a query is parsed into an API search, or rejected with a message that says why. */
import { expect, test } from '@jest/globals'
import { parseQuery } from '../../../../../console/src/query/parse-query.ts'

test.each<[string, object]>([
  ['', {}],
  ['late delivery', { q: 'late delivery' }],
  ['"late delivery"', { q: 'late delivery' }],
  ['agent:checkout', { agent_id: 'checkout' }],
  ['agent:"two words"', { agent_id: 'two words' }],
  [String.raw`agent:"a \"quoted\" \\ name"`, { agent_id: String.raw`a "quoted" \ name` }],
  ['session:a:b', { session_id: 'a:b' }],
  ['domain:a,b domain:c domain:a', { domain: ['a', 'b', 'c'] }],
  ['verdict:fail,mixed status:partial', { verdict: ['fail', 'mixed'], status: ['partial'] }],
  ['latency_ms:>=500 latency_ms:<=1e3', { min_latency_ms: 500, max_latency_ms: 1000 }],
  ['error:false', { is_error: false }],
  ['has_session:true', { has_session: true }],
  ['trace:4bf9 parent:5a1d', { trace_id: '4bf9', parent_decision_id: '5a1d' }],
  ['kind:agent root:true', { kind: 'agent', root: true }],
  ['score.x:<0.5', { score: [{ name: 'x', op: 'lt', value: 0.5 }] }],
  ['score.x:good', { score: [{ name: 'x', op: 'eq', value: 'good' }] }],
  ['score."a b":passed', { score: [{ name: 'a b', op: 'passed' }] }],
  ['metadata.region:eu metadata.n:1.0', { metadata: { region: 'eu', n: '1.0' } }],
  ['"http://example.com"', { q: 'http://example.com' }]
])('%s', (text, search) => {
  expect(parseQuery(text)).toEqual({ search, errors: [] })
})

test.each([
  ['colour:red', /^Unknown field colour[.] Known: agent, /],
  ['__proto__:x', /^Unknown field __proto__[.]/],
  ['http://example.com', /^Unknown field http[.] .* Quote the term to search for it[.]$/],
  ['-domain:x', /the API cannot exclude values/],
  ['agent:a agent:b', /^agent appears twice/],
  ['agent:', /needs a value/],
  ['verdict:good', /^verdict must be one of pass, fail, mixed, none; good is not/],
  ['latency_ms:500', /needs >= or <= and a number/],
  ['latency_ms:>=x', /needs >= or <= and a number/],
  ['error:maybe', /must be true or false/],
  ['error:true error:false', /^error appears twice/],
  ['score.x:<good', /needs a comparison/],
  ['metadata.a:1 metadata.a:2', /appears twice/]
])('rejects %s with a sentence', (text, sentence) => {
  expect(parseQuery(text).errors).toEqual([expect.stringMatching(sentence)])
})

test('a metadata member can be named __proto__', () => {
  const { search } = parseQuery('metadata.__proto__:x')
  expect(Object.entries(search.metadata ?? {})).toEqual([['__proto__', 'x']])
})
