/** Tests output_complete: an output that is visibly cut off fails; unusual outputs pass. */
import { expect, test } from '@jest/globals'
import type { Decision } from '../../../../core/decision/decision.ts'
import { outputComplete } from '../../../../evaluators/heuristics/output-complete.ts'
import { aSubject } from '../a-subject.ts'

const longProse =
  'The parcel left our warehouse on Monday and was handed to the carrier the same evening. ' +
  'According to its tracking it reached the sorting centre on Tuesday, where it was held'

const brokenOff: [string, Partial<Decision>, RegExp][] = [
  ['an open code block', { output: 'Run this:\n```sh\nnpm ci\n' }, /code block/],
  ['an open block of tildes', { output: '~~~\nx = 1\ny = 2' }, /code block/],
  [
    'an open block in a list',
    { output: '1. Do\n\n   ```js\n   a()\n\n2. Then rest.' },
    /code block/
  ],
  ['JSON without its brackets', { output: '{"a": [1, 2, {"b": "c"' }, /JSON/],
  ['JSON that ends after a comma', { output: '{"a": 1,' }, /JSON/],
  ['JSON that ends within a text', { output: '{"reason": "the customer is' }, /JSON/],
  ['JSON that ends at an escape', { output: '["a line\\' }, /JSON/],
  ['JSON that ends within a word', { output: '[true, fal' }, /JSON/],
  ['JSON that ends within a number', { output: '{"a": 12.' }, /JSON/],
  ['an English conjunction', { output: 'It was shipped to Hamburg on Monday and' }, /sentence/],
  ['a German article', { output: 'Die Lieferung ging gestern an einen' }, /sentence/],
  ['a French article', { output: 'La commande est arrivée chez vous avec des' }, /sentence/],
  ['a Spanish article', { output: 'El pedido salió ayer de los almacenes del' }, /sentence/],
  ['a comma', { output: 'We looked at your order, the invoice, the tracking,' }, /sentence/],
  ['an open bracket', { output: 'The total is 39.90 EUR (' }, /sentence/],
  ['no punctuation at a usual limit', { output: longProse, output_tokens: 256 }, /256 tokens/],
  [
    'no punctuation at the limit of the request',
    { output: longProse, output_tokens: 77, input: '{"max_tokens": 77, "prompt": "Where is it?"}' },
    /77 tokens/
  ],
  [
    'metadata that reports a cut',
    { output: 'All is well.', metadata: '{"finish_reason": "length"}' },
    /metadata/
  ],
  ['the same from another vendor', { metadata: '{"stopReason":"max_tokens"}' }, /metadata/]
]

test.each(brokenOff)('fails %s', (_, overrides, reason) => {
  expect(outputComplete.evaluate(aSubject(overrides))).toMatchObject({
    value: 0,
    passed: false,
    reason: expect.stringMatching(reason)
  })
})

const complete: [string, Partial<Decision>][] = [
  ['a sentence', { output: 'Yes, within 30 days.' }],
  ['a word', { output: 'approve' }],
  ['a title without a full stop', { output: 'A Short History of the Refund' }],
  ['a closed code block', { output: 'Run:\n```sh\nnpm ci\n```\nThen wait.' }],
  ['a longer fence around a shorter one', { output: '````md\n```js\na()\n```\n````' }],
  ['equal fences within each other', { output: '```md\n```js\na()\n```\n```\nDone.' }],
  ['a block that the request opened', { output: 'print(1)\n```' }],
  ['three backticks within a line', { output: 'Use ``` to open a block.' }],
  ['whole JSON', { output: '{"a": [1, 2, {"b": "c"}]}' }],
  ['JSON that is wrong in the middle', { output: '{"a": 1,, "b": 2}' }],
  ['a line of a log', { output: '[INFO] started' }],
  ['a Markdown link', { output: '[Returns](https://shop.example/returns)' }],
  ['a greeting at the end', { output: 'Your refund is on its way.\n\nKind regards,' }],
  ['a line of code', { output: 'Then call\n\nconst it = await client.get(id);' }],
  ['an unhappy face', { output: 'That did not work out at all :(' }],
  ['a short list', { output: 'red, green and' }],
  ['a preposition at the end', { output: 'That is what you were looking for' }],
  ['a grade', { output: 'The pupil gets an A' }],
  ['a full stop at a usual limit', { output: `${longProse}.`, output_tokens: 256 }],
  ['a Chinese full stop at a usual limit', { output: '好。'.repeat(80), output_tokens: 256 }],
  ['no punctuation at an unusual number', { output: longProse, output_tokens: 57 }],
  [
    'no punctuation below the limit of the request',
    { output: longProse, output_tokens: 256, input: '{"max_tokens": 1000}' }
  ],
  [
    'a limit that the prompt mentions',
    {
      output: longProse,
      output_tokens: 77,
      input: JSON.stringify({ prompt: 'What does {"max_tokens": 77} mean?' })
    }
  ],
  ['a model that reports its end', { output: 'Done', metadata: '{"finish_reason":"stop"}' }]
]

test.each(complete)('passes %s', (_, overrides) => {
  expect(outputComplete.evaluate(aSubject(overrides))).toMatchObject({ value: 1, passed: true })
})

test('skips an empty output', () => {
  expect(outputComplete.evaluate(aSubject({ output: ' ' }))).toEqual({
    kind: 'skipped',
    status_reason: 'not_applicable'
  })
})

test('checks only the end of a very long output and says so', () => {
  const long = `${'```\n'.repeat(101)}${'All is well. '.repeat(30_000)}`
  expect(outputComplete.evaluate(aSubject({ output: long }))).toMatchObject({
    passed: true,
    reason: expect.stringContaining('262,144')
  })
  const cut = outputComplete.evaluate(aSubject({ output: `${long} and this is because` }))
  expect(cut).toMatchObject({ passed: false })
})
