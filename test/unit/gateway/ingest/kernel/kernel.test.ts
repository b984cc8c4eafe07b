/** Tests that the kernel changes nothing: it reads exactly what the parser reads, or leaves it. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { decisionBodySchema } from '../../../../../schemas/index.ts'
import { ingestBody } from '../../../../support/exactness/ingest-bodies.ts'
import { naughtyStrings, spellings } from '../../../../support/exactness/naughty-strings.ts'
import { parsingCases, transformCases } from '../../../../support/exactness/suite-bytes.ts'
import { createComparison } from './compare.ts'
import type { Format } from './compare.ts'

const { compare, taken } = createComparison()

/** Compares a text as each item of an array, as a line, and alone. */
async function compareEverywhere(item: Buffer | string): Promise<void> {
  const bytes = Buffer.from(item)
  const valid = Buffer.from('{"input":1,"output":"y"}')
  const bodies: [Buffer, Format][] = [
    [bytes, 'single'],
    [Buffer.concat([open, bytes, close]), 'envelope'],
    [Buffer.concat([open, valid, comma, bytes, comma, valid, close]), 'envelope'],
    [bytes, 'lines'],
    [Buffer.concat([valid, lineFeed, bytes, lineFeed, valid]), 'lines']
  ]
  for (const [body, format] of bodies) expect(await compare(body, format)).toBeNull()
}

const open = Buffer.from('{"decisions":[')
const close = Buffer.from(']}')
const comma = Buffer.from(',')
const lineFeed = Buffer.from('\n')

function around(before: string, value: Buffer | string, after: string): Buffer {
  return Buffer.concat([Buffer.from(before), Buffer.from(value), Buffer.from(after)])
}

const members = [
  ...Object.keys(decisionBodySchema['properties'] as object),
  ...['other', '__proto__', '', 'inpuT', 'input\\u0020', 'agent_i\\u0064', 'é', 'constructor']
]

describe('the kernel reads what the parser reads', () => {
  test.each([...parsingCases, ...transformCases].map((each) => [each.name, each.bytes]))(
    'in %s',
    async (_name, bytes) => {
      await compareEverywhere(bytes)
      for (const member of members.slice(0, 11)) {
        await compareEverywhere(around(`{"input":1,"output":"","${member}":`, bytes, '}'))
      }
      await compareEverywhere(around('{"input":', bytes, ',"output":"x"}'))
      await compareEverywhere(around('{"input":1,"output":', bytes, '}'))
      await compareEverywhere(around('{"input":1,"output":"x",', bytes, ':1}'))
    }
  )

  test.each(naughtyStrings.map((text) => [text.slice(0, 40), text]))(
    'of %j',
    async (_name, text) => {
      for (const spell of Object.values(spellings)) {
        const literal = spell(text)
        await compareEverywhere(`{"input":${literal},"output":${literal},"agent_id":${literal}}`)
      }
    }
  )
})

const uuid = '01938C4E-5b7a-7c3e-9f00-2f6d1c1b8a66'
const values = [
  ...['null', '""', '"a"', '"\\u0000"', '"a\\u0000"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"'],
  ...['"\\ud83d"', '"\\ude00"', '"\\ud83d\\u0041"', '"\\ud83d\\ud83d\\ude00"', '"\\ude00\\ud83d"'],
  ...['1', '0', '-0', '01', '1.0', '1e2', '1.5', '-', '1.', '.5', '1e', '1e+', '+1', '1E-2', '0x1'],
  ...['9007199254740991', '9007199254740992', '999999999', '1000000000', '-1', '1e400', '0e0'],
  ...[
    'true',
    'false',
    'nul',
    'tru',
    'truee',
    'nulll',
    '{}',
    '[]',
    '{"a":1}',
    '[1,]',
    '{"a":}',
    '{,}'
  ],
  ...['{"a":1,"a":2}', '{"\\u0061":1,"a":2}', '{"a" 1}', '{a:1}', '[1 2]', '[1}', '{"a":1]'],
  ...['"\\x"', '"\\"', '"\t"', '"\u0001"', '"\u007f"', '"\u2028"', '"é"', '"\ufeff"', '"\\u00zz"'],
  ...[' 1 ', '\n[ 1 , 2 ]\t', '\u00a01', '"a\\/b\\b\\f\\n\\r\\t\\"\\\\"'],
  '"\\u00e9\\u4f60\\u007f\\u0080\\u07ff\\u0800\\uffff\\ufeff"',
  ...[99, 100, 101, 254, 255, 256, 999, 1000, 1001].flatMap((length) => [
    `"${'a'.repeat(length)}"`,
    `"${'é'.repeat(length)}"`,
    `"${'\\n'.repeat(length)}"`,
    `"${'👟'.repeat(length)}"`,
    `"${'\\u0041'.repeat(length)}"`
  ]),
  ...[15, 16, 17, 31, 32, 33].flatMap((length) => [
    `"${'a'.repeat(length)}\\n"`,
    `"${'a'.repeat(length)}\\u00e9${'b'.repeat(length)}"`
  ]),
  ...[61, 62, 63, 64, 65].flatMap((depth) => [
    `${'['.repeat(depth)}${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  ]),
  ...[`"${uuid}"`, `"${uuid.replace('-', '_')}"`, `"\\u0030${uuid.slice(1)}"`, `"${uuid}0"`]
]

describe('the edge values', () => {
  test.each(members)('of a member %j', async (member) => {
    for (const value of values) {
      await compareEverywhere(`{"input":1,"output":"x","${member}":${value}}`)
      await compareEverywhere(`{"${member}":${value},"input":{},"output":""}`)
      await compareEverywhere(
        `{"session_id":"s","${member}":null,"output":"1","input":2,"${member}":${value}}`
      )
    }
  })

  test('of the number of unknown members', async () => {
    for (let count = 0; count < 20; count++) {
      const unknown = Array.from({ length: count }, (_, index) => `,"m${index}":${index}`).join('')
      await compareEverywhere(`{"input":1,"output":"x"${unknown}}`)
      await compareEverywhere(`{"input":1,"output":"x"${unknown},"m0":1}`)
    }
  })
})

test('every envelope is read like by the parser', async () => {
  const item = '{"input":1,"output":"x"}'
  const others = ['"client_report":{"dropped":{"queue_full":3}}', '"client_report":1', '"a":[{}]']
  const envelopes = [
    ...['', '{}', '[]', '1', ' ', '{"decisions":[]}', `[${item}]`, `{"decisions":${item}}`],
    ...['{"decisions":null}', `{"decisions":[${item}]} x`, `{"decisions":[${item},]}`],
    ...[`{"decisions":[${item}`, `{"decisions":[${item}]`, `{"decisions":[${item}],}`],
    ...[`\ufeff{"decisions":[${item}]}`, ` {\n"decisions" :\t[ ${item} , ${item} ]\r}\n`],
    ...[`{"decision\\u0073":[${item}]}`, `{"decisions":[${item}],"decisions":[]}`],
    ...[`{"decisions":1,"decisions":[${item}]}`, `{"decisions":[${item}],"decisions":1}`],
    ...[`{"decisions" [${item}]}`, `{decisions:[${item}]}`, `{"decisions":[${item} ${item}]}`],
    ...others.flatMap((other) => [
      `{${other},"decisions":[${item}]}`,
      `{"decisions":[${item}],${other}}`,
      `{${other},"decisions":[${item}],${other}}`,
      `{"decisions":[${item},1],${other}}`,
      `{${other}}`
    ]),
    `{"decisions":[${item}],"a":"${'x'.repeat(65_000)}"}`,
    `{"decisions":[${item}],"a":"${'x'.repeat(66_000)}"}`,
    `{${' '.repeat(66_000)}"decisions":[${item}]}`,
    `{"decisions":[${item}]${' '.repeat(66_000)}}`,
    ...[999, 1000, 1001].map((count) => `{"decisions":[${Array(count).fill(item).join(',')}]}`)
  ]
  for (const envelope of envelopes) expect(await compare(envelope, 'envelope')).toBeNull()
  for (const count of [999, 1000, 1001]) {
    expect(await compare(Array(count).fill(item).join('\n'), 'lines')).toBeNull()
  }
})

test('every line is read like by the parser', async () => {
  const item = '{"input":1,"output":"x"}'
  const lines = [
    '',
    ' ',
    '\r',
    '\t ',
    item,
    ` ${item}\r`,
    '{"input":1,',
    '"output":"x"}',
    `\ufeff${item}`
  ]
  const texts = fc.array(fc.constantFrom(...lines), { maxLength: 6 }).map((all) => all.join('\n'))
  const property = fc.asyncProperty(texts, async (text) => {
    expect(await compare(text, 'lines')).toBeNull()
  })
  await fc.assert(property, { seed: 20_261_128, numRuns: 500 })
})

/** Bytes and tokens that change the structure or the certainty of a body. */
const fragments = [
  ...[
    '"',
    '\\',
    '\\"',
    '\\\\',
    '\\u',
    '\\ud83d',
    '\\ude00',
    '\\u0000',
    '\\n',
    ',',
    ':',
    '{',
    '}',
    '['
  ],
  ...[
    ']',
    '{}',
    'null',
    '1',
    '-',
    '.',
    'e5',
    '"a":1,',
    '"input":',
    '"output":"',
    '"agent_id":"a",'
  ],
  ...['"metadata":{},', ' ', '\n', '\0', '\u001f', '\u007f', 'é', '👟', '"decision_id":null,'],
  ...['"other":1,"other":2,', '"input_tokens":1,', '99999999999']
]

/** Changes a text at a few places. */
const mutation = fc.record({
  at: fc.nat(),
  cut: fc.oneof({ arbitrary: fc.nat(3), weight: 4 }, { arbitrary: fc.nat(60), weight: 1 }),
  fragment: fc.oneof(fc.constantFrom(...fragments), fc.constant(''))
})

function mutated(text: Arbitrary<string>): Arbitrary<string> {
  return fc
    .tuple(text, fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([whole, changes]) => {
      let changed = whole
      for (const { at, cut, fragment } of changes) {
        const from = at % (changed.length + 1)
        changed = changed.slice(0, from) + fragment + changed.slice(from + cut)
      }
      return changed
    })
}

const plainItem = fc.constantFrom(
  '{"input":{"a":[1,2,{"b":"c"}]},"output":"x\\ny","agent_id":"a","session_id":"s","domain":"d",' +
    '"metadata":{"k":"v"},"input_tokens":5,"output_tokens":6,"sdk_version":"v"}',
  `{"decision_id":"${uuid}","input":null,"output":"","agent_id":null,"metadata":null,"x":1}`
)
const item = fc.oneof(ingestBody, plainItem, mutated(ingestBody), mutated(plainItem))
const items = fc.array(item, { minLength: 1, maxLength: 3 })
const envelope = items.map((texts) => `{"decisions":[${texts.join(',')}]}`)

/** Number of bodies of each format. The weekly run reads many more. */
const runs = Number(process.env['KERNEL_BODIES'] ?? 3000)
const seed = Number(process.env['KERNEL_SEED'] ?? 20_261_128)

test.each([
  ['single', item],
  ['envelope', envelope],
  ['envelope', mutated(envelope)],
  ['lines', items.map((texts) => texts.join('\n'))]
] as const)('random bodies (%s) are read like by the parser', async (format, texts) => {
  const property = fc.asyncProperty(texts, async (text) => {
    expect(await compare(text, format)).toBeNull()
  })
  await fc.assert(property, { seed, numRuns: runs })
})

test('the kernel took most bodies, so the comparison is not empty', () => {
  process.stdout.write(`the kernel read ${taken.bodies} bodies and ${taken.items} decisions\n`)
  expect(taken.items).toBeGreaterThan(10_000)
})
