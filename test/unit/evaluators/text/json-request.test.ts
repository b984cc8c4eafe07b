/** Tests the detection of JSON requests in parameters, prompts and domains, in several languages.
 */
import { expect, test } from '@jest/globals'
import type { Decision } from '../../../../core/decision/decision.ts'
import { aSubject } from '../a-subject.ts'

function isAskedFor(overrides: Partial<Decision>): boolean {
  return aSubject(overrides).isJsonRequested()
}

const prompts: string[] = [
  'Answer with JSON only: {"queue": string}',
  'Classify the ticket. Respond in JSON.',
  'Format your response as a valid JSON object.',
  'Your output must be JSON, without Markdown.',
  'Return a JSON object with the keys a and b.',
  'Read the text and return only valid JSON.',
  'Please output JSON.',
  'Extract name and age.\nOutput format: JSON',
  'Reply using strict JSON.',
  'Decide what to do and answer in JSON.',
  'Could you answer in JSON?',
  'Antworte ausschließlich in gültigem Deutsch und nur als JSON.',
  'Gib das Ergebnis als JSON zurück.',
  'Réponds uniquement en JSON.',
  'Renvoie le résultat au format JSON.',
  'Responde solo en JSON.',
  'Devuelve un objeto JSON con los campos.'
]

test.each(prompts)('detects a request in a prompt: %s', (prompt) => {
  expect(isAskedFor({ input: JSON.stringify(prompt) })).toBe(true)
  const messages = [
    { role: 'system', content: prompt },
    { role: 'user', content: 'Go on.' }
  ]
  expect(isAskedFor({ input: JSON.stringify({ messages }) })).toBe(true)
  const parts = [{ role: 'user', parts: [{ text: prompt }] }]
  expect(isAskedFor({ input: JSON.stringify({ contents: parts }) })).toBe(true)
})

const others: string[] = [
  'How do I return JSON from Express?',
  'Why does my handler respond with JSON twice?',
  'Write a function that parses JSON.',
  'Write a script to output JSON.',
  'My JSON file is broken.',
  'Only JSON files can be uploaded. Why?',
  'Return the text as JSON lines.',
  'Jason asked for a refund.',
  'May I return these shoes?'
]

test.each(others)('detects no request in a prompt: %s', (prompt) => {
  expect(isAskedFor({ input: JSON.stringify({ prompt }) })).toBe(false)
})

const parameters: [string, unknown][] = [
  ['response_format', { response_format: { type: 'json_object' } }],
  ['a schema in response_format', { response_format: { json_schema: {}, type: 'json_schema' } }],
  ['response_format as a text', { response_format: 'json' }],
  ['parameters one level below', { prompt: 'x', parameters: { response_format: 'json' } }],
  ['a MIME type', { generation_config: { response_mime_type: 'application/json' } }],
  ['a response schema', { config: { responseSchema: { type: 'object' } } }],
  ['the format of a text', { text: { format: { type: 'json_schema' } } }],
  ['a format', { model: 'm', format: 'json' }],
  ['a schema as a format', { format: { type: 'object', properties: {} } }]
]

test.each(parameters)('detects a request in the input: %s', (_, input) => {
  expect(isAskedFor({ input: JSON.stringify(input) })).toBe(true)
})

test('detects a request in the metadata', () => {
  expect(isAskedFor({ metadata: '{"response_format":{"type":"json_object"}}' })).toBe(true)
})

test('detects a request in the domain', () => {
  expect(isAskedFor({ domain: 'json-extraction' })).toBe(true)
  expect(isAskedFor({ domain: 'jsonville-support' })).toBe(false)
})

const otherParameters: [string, unknown][] = [
  ['another format', { response_format: { type: 'text' } }],
  ['a format of something else', { file: { name: 'orders', format: 'json' } }],
  ['a list of formats', [{ response_format: 'json' }]],
  ['null', null],
  ['a number', 12]
]

test.each(otherParameters)('detects no request in the input: %s', (_, input) => {
  expect(isAskedFor({ input: JSON.stringify(input) })).toBe(false)
})
