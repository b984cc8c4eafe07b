/** Tests that decisions are rejected or returned unchanged: JSON values byte for byte, other texts
 * character for character.
 */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { code, rowsOf, sectionOf } from '../docs/pages.ts'
import { corpora } from '../support/exactness/corpora.ts'
import type { Corpus } from '../support/exactness/corpora.ts'
import { createExchange } from '../support/exactness/exchange.ts'
import type { Exchange, ExchangeResult } from '../support/exactness/exchange.ts'
import { lostBytes, parsingCases, transformCases } from '../support/exactness/suite-bytes.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'

let sluice: Installation
let exchange: Exchange

beforeAll(async () => {
  sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const [gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
  exchange = createExchange({ sluice, tenant, gateway })
})

const good = '"input":1,"output":"x"'

/** `fate` is `kept`, `changed`, or the status and code of the rejection. */
type Fate = { name: string; fate: string }

const observed = new Map<Corpus, Promise<Fate[]>>()

/**
 * Returns the results of a corpus. Each corpus is sent once, and its results are shared by several
 * tests.
 */
function fatesOf(corpus: Corpus): Promise<Fate[]> {
  const known = observed.get(corpus) ?? observe(corpus)
  observed.set(corpus, known)
  return known
}

async function observe({ probes, way }: Corpus): Promise<Fate[]> {
  const outcomes = await exchange.exchange(
    probes.map(({ body }) => body),
    way
  )
  return probes.map(({ name, isKept }, index) => {
    const { status, problem, read } = outcomes[index] as ExchangeResult
    if (read === null) return { name, fate: `${status} ${String(problem['code'])}` }
    return { name, fate: isKept(read) ? 'kept' : 'changed' }
  })
}

const refusal = /^4\d\d (malformed_json|malformed_encoding|invalid_decision)$/
const allowed: Record<Corpus['verdict'], RegExp> = {
  accept: /^kept$/,
  refuse: refusal,
  either: new RegExp(`^kept$|${refusal.source}`)
}

/** Formats the counts, for example `95 kept, 188 rejected`. */
function countsOf(fates: readonly Fate[]): string {
  const kept = fates.filter(({ fate }) => fate === 'kept').length
  const counts = { kept, rejected: fates.length - kept }
  const said = Object.entries(counts).filter(([, count]) => count > 0)
  return said.map(([what, count]) => `${count} ${what}`).join(', ')
}

const words = { accept: 'kept', refuse: 'rejected', either: 'kept or rejected' }

test('only the listed suite files lose bytes when they are decoded', () => {
  const texts = [...parsingCases, ...transformCases].map(
    ({ name, bytes }) => [name, bytes] as const
  )
  const lost = texts.filter(([, bytes]) => Buffer.from(bytes.toString()).compare(bytes) !== 0)
  expect(lost.map(([name]) => name).toSorted()).toEqual(Object.keys(lostBytes).toSorted())
})

describe.each(corpora)('$title, as $sentAs ($way)', (corpus) => {
  test(`each is ${words[corpus.verdict]}`, async () => {
    const fates = await fatesOf(corpus)
    expect(fates.filter(({ fate }) => !allowed[corpus.verdict].test(fate))).toEqual([])
    expect(fates).toHaveLength(corpus.probes.length)
  })
})

function bytesOf(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)))
}

describe('rejects values that cannot be stored, with a pointer', () => {
  const half = 'contains an unpaired surrogate'
  const twice = 'appears more than once'
  const nul = 'must not contain the character U+0000'
  const deep = 'nests deeper than 64 levels'

  test.each<[string, string, string, string]>([
    [
      '65 levels of lists',
      `{"input":${'['.repeat(64)}${']'.repeat(64)},"output":""}`,
      '/input',
      deep
    ],
    [
      '65 levels of objects',
      `{${good},"metadata":${'{"a":'.repeat(64)}1${'}'.repeat(65)}`,
      '/metadata',
      deep
    ],
    ['a high surrogate', '{"input":["\\ud83d"],"output":""}', '/input', half],
    ['a low surrogate as a name', '{"input":{"\\ude00":1},"output":""}', '/input', half],
    ['a reversed pair of surrogates', '{"input":1,"output":"\\ude00\\ud83d"}', '/output', half],
    ['a surrogate before an escape', `{${good},"metadata":{"a":"\\ud83d\\n"}}`, '/metadata', half],
    ['a surrogate in the name of an agent', `{${good},"agent_id":"\\udfff"}`, '/agent_id', half],
    ['a duplicate member', `{${good},"input":1}`, '/input', twice],
    ['a duplicate member in two spellings', `{${good},"\\u0069nput":1}`, '/input', twice],
    ['a duplicate unknown member in two spellings', `{${good},"a":1,"\\u0061":2}`, '/a', twice],
    ['U+0000 in agent_id', `{${good},"agent_id":"a\\u0000b"}`, '/agent_id', nul],
    ['U+0000 in session_id', `{${good},"session_id":"\\u0000"}`, '/session_id', nul],
    ['U+0000 in domain', `{${good},"domain":"\\u0000"}`, '/domain', nul],
    ['U+0000 in sdk_version', `{${good},"sdk_version":"\\u0000"}`, '/sdk_version', nul]
  ])('%s', async (_what, body, pointer, detail) => {
    const { status, problem } = await exchange.send(body)
    expect([status, problem['code']]).toEqual([422, 'invalid_decision'])
    expect(problem['errors']).toEqual([{ pointer, detail }])
  })

  const before = '{"input":1,"output":"'
  const genuine = [0xef, 0xbf, 0xbd]

  test.each<[string, (string | number[])[], number]>([
    ['0xFF', [before, [0xff], '"}'], 21],
    ['an overlong slash', [before, [0xc0, 0xaf], '"}'], 21],
    ['an overlong NUL', [before, [0xc0, 0x80], '"}'], 21],
    ['a character truncated by the end of the text', [before, [0xf0, 0x9f, 0x98], '"}'], 21],
    ['a character truncated by the end of the body', [before, [0xf0, 0x9f]], 21],
    ['a character with one byte too many', [before, [0xc3, 0xa9, 0xa9], '"}'], 23],
    ['an encoded surrogate', [before, [0xed, 0xa0, 0xbd], '"}'], 21],
    ['a pair of surrogates, CESU-8', [before, [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"}'], 21],
    ['a character beyond U+10FFFF', [before, [0xf4, 0x90, 0x80, 0x80], '"}'], 21],
    ['an invalid byte after a genuine U+FFFD', [before, genuine, 'é', [0x80], '"}'], 26],
    ['a truncated genuine U+FFFD', [before, genuine, [0xef, 0xbf], '"}'], 24],
    ['an invalid byte in an unknown member', [`{${good},"x":"`, [0xfe], '"}'], 29],
    ['the byte order mark of UTF-16', [[0xff, 0xfe], `{${good}}`], 0],
    ['the byte order mark of UTF-32', [[0x00, 0x00, 0xfe, 0xff], `{${good}}`], 2]
  ])('%s', async (_what, parts, at) => {
    const { status, problem } = await exchange.send(bytesOf(...parts))
    expect([status, problem['code']]).toEqual([400, 'malformed_encoding'])
    expect(problem['detail']).toBe(`The body is not UTF-8 at byte ${at}.`)
  })

  test.each<[string, (string | number[])[]]>([
    ['a second byte order mark', ['\ufeff\ufeff', `{${good}}`]],
    ['a byte order mark before a value', ['{"output":"x","input":', '\ufeff1}']],
    ['a raw NUL in a text', [before, [0], '"}']],
    ['a raw NUL after the body', [`{${good}}`, [0]]],
    ['UTF-16 without a mark', [Buffer.from(`{${good}}`, 'utf16le').toString('latin1')]]
  ])('%s', async (_what, parts) => {
    const { status, problem } = await exchange.send(bytesOf(...parts))
    expect([status, problem['code']]).toEqual([400, 'malformed_json'])
  })
})

test('a batch item has the same result as a single decision', async () => {
  for (const corpus of corpora.filter(({ way }) => way !== 'single')) {
    const { title, sentAs } = corpus
    const alone = corpora.find((other) => other.title === title && other.sentAs === sentAs)
    const fates = new Set((await fatesOf(alone as Corpus)).map(({ name, fate }) => name + fate))
    const others = (await fatesOf(corpus)).filter(({ name, fate }) => !fates.has(name + fate))
    expect(others).toEqual([])
  }
})

test('skips one byte order mark before a body', async () => {
  expect(await exchange.send(`\ufeff{${good}}`)).toMatchObject({ status: 202 })
})

test('comparing bytes detects changes that comparing values would miss', () => {
  const probes = corpora.flatMap((corpus) => corpus.probes).filter(({ name }) => name === '1E+2')
  expect(probes).not.toEqual([])
  for (const { body, isKept } of probes) {
    expect(isKept(body)).toBe(true)
    expect(isKept(Buffer.from(body.toString().replace('1E+2', '1e+2')))).toBe(false)
  }
})

describe('docs/explanation/exactness.md', () => {
  const page = 'docs/explanation/exactness.md'

  test('counts the results', async () => {
    const rows = new Map<string, string[]>()
    for (const corpus of corpora) {
      const { title, sentAs, way } = corpus
      const row = rows.get(title + sentAs) ?? [title, sentAs, '', '', '']
      row[2 + ['single', 'batch', 'lines'].indexOf(way)] = countsOf(await fatesOf(corpus))
      rows.set(title + sentAs, row)
    }
    expect(rowsOf(sectionOf(page, 'Measurement'))).toEqual([...rows.values()])
  })

  test('states the result of each case that the RFC leaves to the reader', async () => {
    const free = corpora.filter(({ verdict, sentAs, way }) => {
      return verdict === 'either' && sentAs === '`input`' && way === 'single'
    })
    const fates = (await Promise.all(free.map(fatesOf))).flat()
    const rows = rowsOf(sectionOf(page, 'Cases that RFC 8259 leaves open'))
    expect(rows).toEqual(fates.map(({ name, fate }) => [code(name), fate]))
  })
})

test('rejected decisions are not written, and written ones are stored', async () => {
  await Promise.all(corpora.map(fatesOf))
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  const sum = async (topic: string): Promise<number> =>
    [...(await endOffsets(topic)).values()].reduce((total, end) => total + Number(end), 0)
  const [row] = await sluice.database.query('select count(*)::integer as n from decisions')
  expect(await sum(sluice.topics.decisions)).toBe(exchange.taken())
  expect(row?.['n']).toBe(exchange.taken())
  expect(await sum(sluice.topics.decisionsDeadLetter)).toBe(0)
})
