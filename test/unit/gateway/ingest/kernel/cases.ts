/** Provides the bodies with which the kernel is compared with the parser. */
import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { decisionBodySchema } from '../../../../../schemas/index.ts'
import { ingestBody } from '../../../../support/exactness/ingest-bodies.ts'
import { naughtyStrings, spellings } from '../../../../support/exactness/naughty-strings.ts'
import { parsingCases, transformCases } from '../../../../support/exactness/suite-bytes.ts'
import type { BodyCase, Format } from './compare.ts'

const valid = '{"input":1,"output":"x"}'
const uuid = '01938C4E-5b7a-7c3e-9f00-2f6d1c1b8a66'
const known = Object.keys(decisionBodySchema['properties'] as object)
const members = [
  ...known,
  ...['other', '__proto__', '', 'inpuT', 'input\\u0020', 'agent_i\\u0064', 'é', 'constructor']
]

/** Concatenates texts and bytes. */
function join(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

/** Yields an item alone, in an array and as a line. */
function* everywhere(item: Buffer | string): Generator<BodyCase> {
  yield [item, 'single']
  yield [join('{"decisions":[', item, ',', valid, ']}'), 'envelope']
  yield [join(valid, '\n', item), 'lines']
}

function* suites(): Generator<BodyCase> {
  for (const { bytes } of [...parsingCases, ...transformCases]) {
    yield* everywhere(bytes)
    yield [join('{"decisions":[', valid, ',', bytes, ']}'), 'envelope']
    yield [join(bytes, '\n', valid), 'lines']
    for (const member of ['agent_id', 'metadata', 'input_tokens', 'other']) {
      yield [join(`{"input":1,"output":"","${member}":`, bytes, '}'), 'single']
    }
    yield* everywhere(join('{"input":', bytes, ',"output":"x"}'))
    yield [join('{"input":1,"output":', bytes, '}'), 'single']
    yield [join('{"input":1,"output":"x",', bytes, ':1}'), 'single']
  }
}

function* naughtyTexts(): Generator<BodyCase> {
  for (const text of naughtyStrings) {
    for (const spell of Object.values(spellings)) {
      const literal = spell(text)
      yield* everywhere(`{"input":${literal},"output":${literal},"agent_id":${literal}}`)
    }
  }
}

const values = [
  ...['null', '""', '"a"', '"\\u0000"', '"a\\u0000"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"'],
  ...['"\\ud83d"', '"\\ude00"', '"\\ud83d\\u0041"', '"\\ud83d\\ud83d\\ude00"', '"\\ude00\\ud83d"'],
  ...['"\\udbff"', '"\\udbff\\udfff"', '"\\udc00"', '"\\udfff"', '"\\ud83d\\uzzzz"', '"\\u000g"'],
  ...['trux', 'fxlse', 'nulx', '{]', '[}', '9999999999', `"${uuid.slice(0, -1)}g"`],
  ...['1', '0', '-0', '01', '1.0', '1e2', '1.5', '-', '1.', '.5', '1e', '1e+', '+1', '1E-2', '0x1'],
  ...['9007199254740991', '9007199254740992', '999999999', '1000000000', '-1', '1e400', '0e0'],
  ...['true', 'false', 'nul', 'tru', 'truee', 'nulll', '{}', '[]', '{"a":1}', '[1,]', '{"a":}'],
  ...['{"a":1,"a":2}', '{"\\u0061":1,"a":2}', '{"a" 1}', '{a:1}', '[1 2]', '[1}', '{"a":1]'],
  ...['"\\x"', '"\\"', '"\t"', '"\u0001"', '"\u007f"', '"\u2028"', '"é"', '"\ufeff"', '"\\u00zz"'],
  ...[' 1 ', '\n[ 1 , 2 ]\t', '\u00a01', '{,}', '"a\\/b\\b\\f\\n\\r\\t\\"\\\\"'],
  '"\\u00e9\\u4f60\\u007f\\u0080\\u07ff\\u0800\\uffff\\ufeff"',
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

function* edgeValues(): Generator<BodyCase> {
  for (const member of members) {
    for (const value of values) {
      yield* everywhere(`{"input":1,"output":"x","${member}":${value}}`)
      yield [`{"${member}":${value},"input":{},"output":""}`, 'single']
      const repeated = `"${member}":null,"output":"1","input":2,"${member}":${value}`
      yield [`{"session_id":"s",${repeated}}`, 'single']
    }
  }
}

function* textLengths(): Generator<BodyCase> {
  for (const length of [99, 100, 101, 254, 255, 256, 999, 1000, 1001]) {
    for (const unit of ['a', 'é', '\\n', '👟', '\\u0041']) {
      for (const member of known) {
        yield [`{"input":1,"output":"x","${member}":"${unit.repeat(length)}"}`, 'single']
      }
    }
  }
}

function* unknownMembers(): Generator<BodyCase> {
  for (let count = 0; count < 20; count++) {
    const unknown = Array.from({ length: count }, (_, index) => `,"m${index}":${index}`).join('')
    yield [`{"input":1,"output":"x"${unknown}}`, 'single']
    yield [`{"input":1,"output":"x"${unknown},"m0":1}`, 'single']
  }
}

function* envelopes(): Generator<BodyCase> {
  const others = ['"client_report":{"dropped":{"queue_full":3}}', '"client_report":1', '"a":[{}]']
  const texts = [
    ...['', '{}', '[]', '1', ' ', '{"decisions":[]}', `[${valid}]`, `{"decisions":${valid}}`],
    ...[`["decisions":[${valid}]}`, `{"decisions":[${valid}]]`, `{"decisionsX":[${valid}]}`],
    ...[`{"decisions":[${valid}],"a":tru}`, '{"decisions":[{}]}'],
    ...['{"decisions":null}', `{"decisions":[${valid}]} x`, `{"decisions":[${valid},]}`],
    ...[`{"decisions":[${valid}`, `{"decisions":[${valid}]`, `{"decisions":[${valid}],}`],
    ...[`\ufeff{"decisions":[${valid}]}`, ` {\n"decisions" :\t[ ${valid} , ${valid} ]\r}\n`],
    ...[`{"decision\\u0073":[${valid}]}`, `{"decisions":[${valid}],"decisions":[]}`],
    ...[`{"decisions":1,"decisions":[${valid}]}`, `{"decisions":[${valid}],"decisions":1}`],
    ...[`{"decisions" [${valid}]}`, `{decisions:[${valid}]}`, `{"decisions":[${valid} ${valid}]}`],
    ...others.flatMap((other) => [
      `{${other},"decisions":[${valid}]}`,
      `{"decisions":[${valid}],${other}}`,
      `{${other},"decisions":[${valid}],${other}}`,
      `{"decisions":[${valid},1],${other}}`,
      `{${other}}`
    ]),
    `{"decisions":[${valid}],"a":"${'x'.repeat(65_000)}"}`,
    `{"decisions":[${valid}],"a":"${'x'.repeat(66_000)}"}`
  ]
  for (const text of texts) yield [text, 'envelope']
  for (const count of [999, 1000, 1001]) {
    yield [`{"decisions":[${Array(count).fill(valid).join(',')}]}`, 'envelope']
    yield [Array(count).fill(valid).join('\n'), 'lines']
  }
}

const lineTexts = [
  ...['', ' ', '\r', '\t ', valid, ` ${valid}\r`, `${valid}1`, '{"input":1,', '"output":"x"}'],
  `\ufeff${valid}`
]

/** Yields all combinations of up to three lines. */
function* lines(): Generator<BodyCase> {
  for (const one of lineTexts) {
    for (const two of lineTexts) {
      yield [`${one}\n${two}`, 'lines']
      for (const three of lineTexts) yield [`${one}\n${two}\n${three}`, 'lines']
    }
  }
}

const usual =
  '{"input":{"a":[1,2,{"b":"c"}]},"output":"x\\ny","agent_id":"a","session_id":"s","domain":"d",' +
  '"metadata":{"k":"v"},"input_tokens":5,"output_tokens":6,"sdk_version":"v"}'
const nulls = `{"decision_id":"${uuid}","input":null,"output":"","agent_id":null,"x":1}`
const wholes: Readonly<Record<Format, string>> = {
  single: usual,
  envelope: `{"a":[true],"decisions":[${usual},${nulls}],"b":null} `,
  lines: `${usual}\n${nulls}\r\n`
}

/** Yields each truncation of a body while the rest of an earlier body follows it in memory. */
function* truncations(): Generator<BodyCase> {
  for (const [format, whole] of Object.entries(wholes) as [Format, string][]) {
    for (const earlier of [whole, `{"secret":"${'secret'.repeat(200)}"}`, ' '.repeat(2000)]) {
      yield [earlier, format]
      for (let length = 1; length <= whole.length; length++) yield [whole.slice(0, length), format]
    }
  }
  yield [' '.repeat(2000), 'single']
  yield [usual, 'single', 1]
}

/** Yields bodies at each limit. The kernel must take as many decisions as the third member says. */
function* limits(): Generator<BodyCase> {
  const wide = Array.from({ length: 16 }, (_, index) => `,"m${index}":${index}`).join('')
  const deep = `${'['.repeat(63)}${']'.repeat(63)}`
  const texts = { agent_id: 255, session_id: 1000, domain: 100, sdk_version: 100 }
  for (const [name, length] of Object.entries(texts)) {
    yield [`{"input":1,"output":"","${name}":"${'\\u00e9'.repeat(length / 2)}"}`, 'single', 1]
    yield [`{"input":1,"output":"","${name}":"${'a'.repeat(length)}"}`, 'single', 1]
  }
  yield [`{"input":${deep},"output":""${wide},"input_tokens":999999999}`, 'single', 1]
  const spelled = '[-1,1E+2,1e-2,true,{},"\\"\\\\\\/ a"]'
  yield [`{ "input" : ${spelled} , "output":"\\"\\\\\\/ a","ab":1,"a":2}`, 'single', 1]
  yield [`{"decisions":[{},${valid}],"client_report":{}}`, 'envelope', 1]
  yield [`{"decisions":[${Array(1000).fill(valid).join(',')}]}`, 'envelope', 1000]
  yield [Array(1000).fill(nulls).join('\n'), 'lines', 1000]
  for (const bytes of [1024 * 1024, 1024 * 1024 + 1]) {
    const text = '"'.padEnd(bytes - '{"input":,"output":""}'.length - 1, 'a')
    yield [`{"input":${text}","output":""}`, 'single', bytes > 1024 * 1024 ? 0 : 1]
  }
}

/** Cases by kind. */
export const fixedCases: Readonly<Record<string, () => Iterable<BodyCase>>> = {
  'the edge values of each member': edgeValues,
  'texts around the maximum lengths': textLengths,
  'any number of unknown members': unknownMembers,
  'every form of an envelope': envelopes,
  'every combination of lines': lines,
  'truncated bodies after a longer body': truncations,
  'bodies at the limits of the kernel': limits,
  'the JSON test suites': suites,
  'naughty strings': naughtyTexts
}

/** Bytes and tokens that change the structure or the certainty of a body. */
const fragments = [
  ...['"', '\\', '\\"', '\\\\', '\\u', '\\ud83d', '\\ude00', '\\u0000', '\\n', ',', ':', '{', '}'],
  ...['[', ']', '{}', 'null', '1', '-', '.', 'e5', '"a":1,', '"input":', '"output":"'],
  ...['"agent_id":"a",', '"metadata":{},', ' ', '\n', '\0', '\u001f', '\u007f', 'é', '👟'],
  ...['"decision_id":null,', '"other":1,"other":2,', '"input_tokens":1,', '99999999999']
]

/** Changes a text at a few places. */
const change = fc.record({
  at: fc.nat(),
  cut: fc.oneof({ arbitrary: fc.nat(3), weight: 4 }, { arbitrary: fc.nat(60), weight: 1 }),
  fragment: fc.oneof(fc.constantFrom(...fragments), fc.constant(''))
})

function changed(text: Arbitrary<string>): Arbitrary<string> {
  return fc
    .tuple(text, fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([whole, changes]) => {
      let result = whole
      for (const { at, cut, fragment } of changes) {
        const from = at % (result.length + 1)
        result = result.slice(0, from) + fragment + result.slice(from + cut)
      }
      return result
    })
}

const plainItem = fc.constantFrom(usual, nulls)
const item = fc.oneof(ingestBody, plainItem, changed(ingestBody), changed(plainItem))
const items = fc.array(item, { minLength: 1, maxLength: 3 })
const envelope = items.map((texts) => `{"decisions":[${texts.join(',')}]}`)

/** Random bodies of each format. */
export const randomBodies: readonly (readonly [Format, Arbitrary<string>])[] = [
  ['single', item],
  ['envelope', envelope],
  ['envelope', changed(envelope)],
  ['lines', items.map((texts) => texts.join('\n'))]
]
