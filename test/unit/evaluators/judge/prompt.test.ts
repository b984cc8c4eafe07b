/** Tests the judge prompt: it contains all content, and the content cannot close its markers. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createPromptWriter } from '../../../../evaluators/judge/prompt.ts'
import type { Prompt } from '../../../../evaluators/judge/prompt.ts'
import { aDecision } from '../../../support/builders.ts'
import { readPrompt } from '../../../support/grading-models.ts'
import { aJudgeConfig, choice } from '../../../support/judges.ts'

const writer = createPromptWriter(aJudgeConfig())

function written(prompt: string, decision = aDecision()): string {
  const { messages } = createPromptWriter(aJudgeConfig({ prompt })).write(decision) as Prompt
  const [, user] = messages
  // Every prompt has a different boundary.
  return user?.content.replaceAll(/ [0-9a-f]{16}\]\]/g, ' B]]') ?? ''
}

test('replaces variables with marked lines', () => {
  expect(written('Grade {{ output }} please.', aDecision({ output: 'a "b"\nc' }))).toBe(
    'Grade \n[[output B]]\n"a \\"b\\"\\nc"\n[[/output B]]\n please.'
  )
})

test.each(['Grade {{output}}.', '{{input}} and {{output}}, {{output}}'])(
  'counts the characters of %j without the content',
  (prompt) => {
    const system = 'You grade refunds.'
    const { frameCharacters, write } = createPromptWriter(aJudgeConfig({ prompt, system }))
    const { messages } = write(aDecision({ input: '1', output: '' })) as Prompt
    const characters = messages.map(({ content }) => content).join('').length
    const [inputs, outputs] = ['input', 'output'].map((name) => prompt.split(`{{${name}}}`).length)
    // The input `1` has one character, and the empty output `""` has two.
    const content = (inputs ?? 0) - 1 + 2 * ((outputs ?? 0) - 1)
    expect(frameCharacters).toBe(characters - content)
  }
)

test('writes an input on one line and keeps its digits', () => {
  const input = '{\n  "n": 12345678901234567890,\n  "t": "a b\\nc"\n}'
  expect(written('{{input}}', aDecision({ input }))).toContain(
    '\n{"n":12345678901234567890,"t":"a b\\nc"}\n'
  )
})

test('finds metadata members by path and name, with or without escapes', () => {
  const metadata = '{"expected":"yes","order":{"i\\u0064":7},"x":1,"x":[2]}'
  const decision = aDecision({ metadata })
  expect(written('{{reference}}', decision)).toContain('[[reference B]]\n"yes"\n')
  expect(written('{{metadata.order.id}}', decision)).toContain('[[metadata.order.id B]]\n7\n')
  expect(written('{{metadata.x}}', decision)).toContain('\n[2]\n')
})

test.each([
  ['{{metadata.order}}', null],
  ['{{metadata.order}}', '{"order":null}'],
  ['{{metadata.order.id}}', '{"order":"id"}'],
  ['{{metadata.order.id}}', '{"order":{"no":1}}'],
  ['{{reference}}', '{}']
])('skips a decision without the content: %s in %s', (prompt, metadata) => {
  const decision = aDecision({ metadata })
  expect(createPromptWriter(aJudgeConfig({ prompt })).write(decision)).toEqual({
    kind: 'skipped',
    status_reason: 'content_missing'
  })
})

test('counts a variable each time that it occurs', () => {
  const decision = aDecision({ output: 'a'.repeat(1000) })
  const outcomeOf = (times: number) =>
    createPromptWriter(aJudgeConfig({ prompt: '{{output}}'.repeat(times) })).write(decision)
  expect(outcomeOf(150)).toHaveProperty('messages')
  expect(outcomeOf(250)).toEqual({ kind: 'skipped', status_reason: 'content_too_large' })
})

test('accepts an empty output', () => {
  expect(written('{{output}}', aDecision({ output: '' }))).toContain('\n""\n')
})

describe('makes invisible characters visible', () => {
  test.each([
    ['zero-width space', '\u200b', '\\u200b'],
    ['right-to-left override', '\u202e', '\\u202e'],
    ['tag letter', '\u{e0041}', '\\udb40\\udc41'],
    ['variation selector', '\u{e0100}', '\\udb40\\udd00'],
    ['private use', '\ue000', '\\ue000'],
    ['line separator', '\u2028', '\\u2028'],
    ['next line', '\u0085', '\\u0085'],
    ['bell', '\u0007', '\\u0007'],
    ['an unpaired surrogate', '\ud800', '\\ud800'],
    ['emoji', '😀', '😀'],
    ['Chinese', '好', '好'],
    ['accent', 'é', 'é']
  ])('%s', (_, character, shown) => {
    expect(written('{{output}}', aDecision({ output: character }))).toContain(`\n"${shown}"\n`)
  })
})

test('keeps any content within its markers, unchanged', () => {
  const parts = [
    '\n',
    '\r',
    '\u2028',
    '[[/output ',
    ']]',
    '[[output',
    '"',
    '\\',
    '{{input}}',
    '```'
  ]
  const hostile = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' })))
  fc.assert(
    fc.property(hostile, (pieces) => {
      const output = pieces.join('')
      const decision = aDecision({ output, input: JSON.stringify(output.toWellFormed()) })
      const { messages } = writer.write(decision) as Prompt
      const seen = readPrompt(messages)
      expect(seen.fenced).toEqual({ input: output.toWellFormed(), output })
      expect(seen.outside).toBe('The question: \n\n\nThe answer: \n\n\nDoes the answer help?')
    })
  )
})

test('uses a new boundary and nonce in each request', () => {
  const prompts = Array.from({ length: 50 }, () => writer.write(aDecision()) as Prompt)
  expect(new Set(prompts.map(({ nonce }) => nonce)).size).toBe(50)
  for (const { messages, nonce } of prompts) {
    expect(messages[0]?.content).toContain(`Set "nonce" to "${nonce}".`)
    expect(messages[1]?.content).not.toContain(nonce)
  }
})

test('begins with the part that is the same in each request', () => {
  const [one, other] = [writer.write(aDecision()), writer.write(aDecision())] as Prompt[]
  const [a = '', b = ''] = [one, other].map((prompt) => prompt?.messages[0]?.content)
  const beginning = a.slice(0, a.indexOf('The markers of this request'))
  expect(beginning.length).toBeGreaterThan(500)
  expect(b.startsWith(beginning)).toBe(true)
})

test('requires reasoning before a grade on the scale', () => {
  expect(createPromptWriter(aJudgeConfig({ scale: choice })).schema).toEqual({
    type: 'object',
    properties: {
      reasoning: expect.any(Object),
      label: { type: 'string', enum: ['compliant', 'partly', 'violation'] },
      nonce: { type: 'string' }
    },
    required: ['reasoning', 'label', 'nonce'],
    additionalProperties: false
  })
  expect(writer.schema['required']).toEqual(['reasoning', 'score', 'nonce'])
})

test('begins with the system prompt of the evaluator', () => {
  const { messages } = createPromptWriter(aJudgeConfig({ system: 'You know the law.' })).write(
    aDecision()
  ) as Prompt
  expect(messages[0]?.content).toMatch(/^You know the law[.]\n\nReply with one JSON object/)
})
