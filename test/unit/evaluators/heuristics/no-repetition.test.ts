/** Tests no_repetition: loops of words and characters fail; lists, tables and refrains pass. */
import { expect, test } from '@jest/globals'
import { noRepetition } from '../../../../evaluators/heuristics/no-repetition.ts'
import { aSubject, prose } from '../a-subject.ts'

const loops: [string, string, RegExp][] = [
  ['a sentence', 'I will check your order now. '.repeat(12), /same 6 words 12 times/],
  ['a word', 'no '.repeat(60), /same 1 words? 60 times/],
  [
    'a sentence after an answer',
    `${prose(200)}. ${'Please wait a moment. '.repeat(15)}`,
    /4 words/
  ],
  [
    'a sentence before an answer',
    `${'Please wait a moment. '.repeat(15)} ${prose(200)}`,
    /4 words/
  ],
  ['lines', '- check the invoice again\n'.repeat(12), /same 4 words 12 times/],
  ['a paragraph', `${prose(50)}\n\n`.repeat(3), /same 50 words 3 times/],
  ['Chinese', '请稍等一下我正在查询。'.repeat(10), /same 10 words 10 times/],
  ['emoji', '🎉🎊'.repeat(40), /words/],
  ['one character', 'a'.repeat(600), /same 1 characters over a length of 600/],
  ['marks', `Done${'!?'.repeat(400)}`, /same 2 characters/],
  [
    'sentences in changing order',
    Array.from({ length: 90 }, (_, at) =>
      ((at * at) % 7) % 2 === 0
        ? 'let me look at this order once more'
        : 'one moment while i look at this'
    ).join('. '),
    /distinct|words/
  ]
]

test.each(loops)('fails a loop of %s', (_, output, reason) => {
  expect(noRepetition.evaluate(aSubject({ output }))).toMatchObject({
    data_type: 'numeric',
    passed: false,
    reason: expect.stringMatching(reason)
  })
})

const table = Array.from({ length: 40 }, (_, at) => `| feature ${at} | yes | no | yes | no |`)
const fine: [string, string][] = [
  ['prose', prose(400)],
  ['a table of yes and no', table.join('\n')],
  ['a list with numbers', Array.from({ length: 40 }, (_, at) => `Step ${at}: check it`).join('\n')],
  [
    'a refrain',
    Array.from({ length: 4 }, (_, at) => `${prose(30, at + 1)}\nla la la la`).join('\n')
  ],
  ['a ruler', `${prose(50)}\n${'-'.repeat(120)}\n${prose(50, 2)}`],
  ['laughter', `${'ha '.repeat(12)} that was a good one, thank you for telling me about it`],
  ['a text that occurs twice', `${prose(60)}\n\n${prose(60)}`],
  ['an encoded picture', Buffer.from(prose(300)).toString('base64')]
]

test.each(fine)('passes %s', (_, output) => {
  expect(noRepetition.evaluate(aSubject({ output }))).toMatchObject({ passed: true })
})

const row = { status: 'open', kind: 'invoice', currency: 'EUR', paid: false }
test.each([
  ['a short output', 'Yes, yes, yes.'],
  ['valid JSON', JSON.stringify(Array.from({ length: 40 }, () => row))]
])('skips %s', (_, output) => {
  expect(noRepetition.evaluate(aSubject({ output }))).toEqual({
    kind: 'skipped',
    status_reason: 'not_applicable'
  })
})

test('checks the end of a long output and says so', () => {
  const output = `${prose(20_000)} ${'I will check your order now. '.repeat(60)}`
  expect(noRepetition.evaluate(aSubject({ output }))).toMatchObject({
    passed: false,
    reason: expect.stringMatching(/the last 4,096 words/)
  })
})
