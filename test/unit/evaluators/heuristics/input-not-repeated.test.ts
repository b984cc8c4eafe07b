/** Tests input_not_repeated: a repeated request fails; quoting, correcting and summarizing pass. */
import { expect, test } from '@jest/globals'
import * as echo from '../../../../evaluators/heuristics/input-not-repeated.ts'
import { aSubject, prose } from '../a-subject.ts'

const question =
  'My order 48213 arrived broken on Monday. Can I have my money back, and who pays for the parcel?'
const system = 'You are the refund agent of a shop. Be short, be kind, and never invent an order.'

function chat(...contents: string[]): string {
  const messages = contents.map((content, at) => ({ role: at === 0 ? 'system' : 'user', content }))
  return JSON.stringify({ messages })
}

const echoes: [string, string, string][] = [
  ['the question', chat(system, question), question],
  ['the question in another spelling', chat(system, question), question.toUpperCase()],
  ['the question with a word before it', chat(system, question), `Sure! ${question}`],
  ['the whole prompt', chat(system, question), `${system}\n\nUser: ${question}`],
  ['a prompt that is a text', JSON.stringify(question), question],
  ['a question among fields', JSON.stringify({ question, order: { id: 48213 } }), question],
  ['a list of messages', JSON.stringify([{ role: 'user', content: question }]), question],
  [
    'a message in parts',
    JSON.stringify({ contents: [{ role: 'user', parts: [{ text: question }] }] }),
    question
  ],
  [
    'a Chinese question',
    JSON.stringify('我的订单昨天到了但是坏了可以退款吗'),
    '我的订单昨天到了但是坏了可以退款吗'
  ]
]

test.each(echoes)('fails a repetition of %s', (_, input, output) => {
  const finding = echo.inputNotRepeated.evaluate(aSubject({ input, output }))
  expect(finding).toMatchObject({
    data_type: 'numeric',
    passed: false,
    reason: expect.stringMatching(/^The output repeats the request: \d+ % /)
  })
})

const letter = prose(60)
const answers: [string, string, string][] = [
  [
    'an answer',
    chat(system, question),
    'Yes: I have refunded 39.90 EUR, and we pay the parcel too.'
  ],
  [
    'the question before an answer',
    chat(system, question),
    `You asked: "${question}" Yes, you can. We refund the order within three days and send you ` +
      'a label, so that the parcel costs you nothing at all.'
  ],
  ['a corrected text', JSON.stringify(`Correct the spelling in this letter: ${letter}`), letter],
  [
    'a text whose task comes last',
    JSON.stringify(`${letter} Please correct it, and say nothing else.`),
    letter
  ],
  [
    'a quotation',
    JSON.stringify({
      context: `${prose(80)} ${question} ${prose(80)}`,
      question: 'Quote the complaint.'
    }),
    question
  ],
  [
    'a sentence of the system prompt',
    chat(system, question),
    'Be short, be kind, and never invent an order.'
  ]
]

test.each(answers)('passes %s', (_, input, output) => {
  expect(echo.inputNotRepeated.evaluate(aSubject({ input, output }))).toMatchObject({
    passed: true
  })
})

test('returns the share of new phrases as the value', () => {
  const half = `${letter} ${prose(60, 2)}`
  const subject = aSubject({ input: JSON.stringify(letter), output: half })
  const finding = echo.inputNotRepeated.evaluate(subject)
  expect(finding).toMatchObject({ value: 0.522, passed: true })
})

test.each([
  ['a short output', JSON.stringify(question), 'Yes.'],
  ['an input without text', '{"a": 1, "b": [true, null]}', question]
])('skips %s', (_, input, output) => {
  expect(echo.inputNotRepeated.evaluate(aSubject({ input, output }))).toEqual({
    kind: 'skipped',
    status_reason: 'not_applicable'
  })
})

test('reads a bounded part of large texts and says so', () => {
  const long = 'so it was said '.repeat(20_000)
  const finding = echo.inputNotRepeated.evaluate(
    aSubject({ input: JSON.stringify(long), output: long })
  )
  expect(finding).toMatchObject({ passed: false, reason: expect.stringContaining('4,096 words') })
})
