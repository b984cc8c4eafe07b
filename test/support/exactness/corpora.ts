/** Defines the corpora of the exactness tests: request bodies, each with a check of the bytes that
 * are returned for it.
 */
import { cutMember } from './cut-members.ts'
import type { SendFormat } from './exchange.ts'
import { naughtyStrings, spellings } from './naughty-strings.ts'
import { parsingCases, transformCases } from './suite-bytes.ts'
import type { SuiteCase } from './suite-bytes.ts'

export type Probe = {
  readonly name: string
  readonly body: Buffer
  /**
   * Checks whether the response contains the expected bytes. For JSON values, these are the bytes
   * that were sent.
   */
  readonly isKept: (read: Buffer) => boolean
}

export type Corpus = {
  readonly title: string
  readonly sentAs: string
  readonly way: SendFormat
  /** Expected result for each body: accepted, rejected, or either. */
  readonly verdict: SuiteCase['verdict']
  readonly probes: readonly Probe[]
}

/**
 * JSON values that parsers tend to change, for example their digits, signs, order, duplicate names
 * or whitespace.
 */
export const delicateValues: readonly string[] = [
  ...['12345678901234567890', '-12345678901234567890', '9007199254740993', '1e400', '-1e400'],
  ...['-0', '0', '-0.0', '0e0', '1.0', '1.10', '1E+2', '1e2', '1E2', '100e-2', '0.1e-7', '5e-324'],
  ...['1e-999', '0.1', '0.30000000000000004', '1'.repeat(1000), `0.${'123456789'.repeat(100)}`],
  ...['true', 'false', 'null', '""', '[]', '{}', '[[]]', '[{}]', '{"":{}}', '[null]'],
  '{"z":1,"a":2,"10":3,"9":4,"m":5}',
  '{"a":1,"a":2,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":null}',
  '[ 1 ,\t2 ,\r\n3 ]',
  '{\n  "k" :  [ ]  ,\n  "l":\t{ }\n}',
  '"\\u0000"',
  '{"\\u0000":"\\u0000\\u0000"}',
  '"\\ud83d\\ude00 \\uD83D\\uDE00 😀"',
  '"\\/ / \\u002f \\b\\f\\n\\r\\t \\u0008"',
  '"\\u2028\\u2029 \u2028\u2029 \ufeff \ufffd \uffff \u007f"',
  '"\\\\ud800 is no half of a character"',
  '"e\u0301 and \u00e9 stay two spellings"',
  `"${'long '.repeat(20_000)}"`,
  `[${Array.from({ length: 5000 }, (_, index) => index).join(', ')}]`,
  '['.repeat(62) + ']'.repeat(62),
  '{"a":'.repeat(62) + '1' + '}'.repeat(62)
]

/** Removes surrounding whitespace, which is not part of the value. */
function trimmed(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replaceAll(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')
  return Buffer.from(text, 'latin1')
}

function spliced(before: string, bytes: Buffer, after: string): Buffer {
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
}

function asInput({ name, bytes }: SuiteCase): Probe {
  const body = spliced('{"input":', bytes, ',"output":"x"}')
  return { name, body, isKept: (read) => cutMember(read, 'input').equals(trimmed(bytes)) }
}

function asLastMember({ name, bytes }: SuiteCase): Probe {
  const body = spliced('{"output":"x","input":', bytes, '}')
  return { name, body, isKept: (read) => cutMember(read, 'input').equals(trimmed(bytes)) }
}

/**
 * Creates a body with the value inside `metadata`. Sluice keeps `metadata` as one text, so
 * whitespace around the value must be kept.
 */
function inMetadata({ name, bytes }: SuiteCase): Probe {
  const metadata = spliced('{"m":', bytes, '}')
  const body = spliced('{"input":1,"output":"x","metadata":', metadata, '}')
  return { name, body, isKept: (read) => cutMember(read, 'metadata').equals(metadata) }
}

function asBody({ name, bytes }: SuiteCase): Probe {
  return { name, body: bytes, isKept: () => false }
}

/**
 * Creates a body with the same text in every text member. Members stored as JSON text must keep
 * their escapes; members stored as characters are returned in the shortest JSON form.
 */
function inEveryMember(text: string, literal: string): Probe {
  const plain = JSON.stringify(text)
  const metadata = `{${literal}:${literal}}`
  const isName = !text.includes('\u0000')
  const isShort = isName && [...text].length <= 100
  const sent = {
    input: [literal, literal],
    output: [literal, plain],
    metadata: [metadata, metadata],
    ...(isName ? { agent_id: [literal, text === '' ? 'null' : plain] } : {}),
    ...(isName ? { session_id: [literal, plain] } : {}),
    ...(isShort ? { domain: [literal, plain], sdk_version: [literal, plain] } : {})
  }
  const members = Object.entries(sent)
  return {
    name: plain,
    body: Buffer.from(`{${members.map(([name, [value]]) => `"${name}":${value}`).join(',')}}`),
    isKept: (read) =>
      members.every(([name, [, expected = '']]) =>
        cutMember(read, name).equals(Buffer.from(expected))
      )
  }
}

function naughtyCorpus([spelling, literalOf]: [string, (text: string) => string]): Corpus {
  return {
    title: 'naughty strings',
    sentAs: `every text member, ${spelling}`,
    way: 'single',
    verdict: 'accept',
    probes: naughtyStrings.map((text) => inEveryMember(text, literalOf(text)))
  }
}

type SuitePart = { title: string; verdict: SuiteCase['verdict']; cases: readonly SuiteCase[] }

function suitePart(title: string, verdict: SuiteCase['verdict']): SuitePart {
  return { title, verdict, cases: parsingCases.filter((each) => each.verdict === verdict) }
}

const mustRead = suitePart('parsing suite, must be accepted (`y_`)', 'accept')
const mustRefuse = suitePart('parsing suite, must be rejected (`n_`)', 'refuse')
const mayRead = suitePart('parsing suite, left to the parser (`i_`)', 'either')
const transforms: SuitePart = {
  title: 'transform suite',
  verdict: 'either',
  cases: transformCases
}
const delicate: SuitePart = {
  title: 'delicate values',
  verdict: 'accept',
  cases: delicateValues.map((text) => {
    return { name: text.slice(0, 60), bytes: Buffer.from(text), verdict: 'accept' }
  })
}

const places = {
  '`input`': asInput,
  '`input`, as the last member': asLastMember,
  'a member of `metadata`': inMetadata
}

function suiteCorpora({ title, verdict, cases }: SuitePart): Corpus[] {
  return Object.entries(places).map(([sentAs, probeOf]) => {
    return { title, sentAs, way: 'single', verdict, probes: cases.map(probeOf) }
  })
}

/** Uses each suite case as the whole body. None of them is a decision, so all are rejected. */
const wholeBodies: Corpus = {
  title: 'parsing suite, all of it',
  sentAs: 'the whole body',
  way: 'single',
  verdict: 'refuse',
  probes: parsingCases.map(asBody)
}

const singles: readonly Corpus[] = [
  ...Object.entries(spellings).map(naughtyCorpus),
  ...[mustRead, mustRefuse, mayRead, transforms, delicate].flatMap(suiteCorpora),
  wholeBodies
]

/**
 * Corpora sent as batches. Only valid bodies are used, because one item that is not JSON makes the
 * whole batch invalid.
 */
const inBatches: readonly Corpus[] = singles
  .filter(({ verdict }) => verdict === 'accept')
  .map((corpus) => ({ ...corpus, way: 'batch' }))

/** Corpora sent as NDJSON lines. Bodies that contain a line feed are left out. */
const inLines: readonly Corpus[] = singles
  .filter((corpus) => corpus !== wholeBodies)
  .map((corpus) => ({
    ...corpus,
    way: 'lines',
    probes: corpus.probes.filter(({ body }) => !body.includes('\n'))
  }))

export const corpora: readonly Corpus[] = [...singles, ...inBatches, ...inLines]
