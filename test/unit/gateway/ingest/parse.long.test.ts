/** Tests that long bodies, which are parsed in small steps, yield the same result as short ones. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { membersMax } from '../../../../core/json/json-members.ts'
import { longText, runSteps, stepCharacters } from '../../../../core/json/steps.ts'
import type { Steps } from '../../../../core/json/steps.ts'
import { Problem } from '../../../../core/problem.ts'
import { itemsMax, parseBatchSteps } from '../../../../gateway/ingest/parse-batch.ts'
import { parse, parseSteps } from '../../../../gateway/ingest/parse.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import { createValidate } from '../../../../gateway/ingest/validate.ts'
import { noon } from '../../../support/builders.ts'
import { corpora } from '../../../support/exactness/corpora.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { fragmentSoup, mutatedText, objectText, surrogateText } from '../../core/json/json-texts.ts'
import { principal } from './fakes.ts'

const json = 'application/json'
const id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const validate = createValidate({ clock: { now: () => noon }, metrics: new RecordingMetrics() })

/** Returns the decision, or the problem as the caller sees it. */
function outcomeOf(read: () => Submission | Problem): unknown {
  try {
    const item = read()
    if (item instanceof Problem) throw item
    return validate(item, principal, id)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { code: error.code, options: error.options }
  }
}

const atOnce = (body: Buffer) => outcomeOf(() => parse(json, body))
const inSteps = (body: Buffer) => outcomeOf(() => runSteps(parseSteps(json, body)))

describe('gives the same result as parsing at once', () => {
  const singles = corpora.filter(({ way }) => way === 'single')

  test.each(singles.map(({ title, sentAs, probes }) => [title, sentAs, probes] as const))(
    '%s, %s',
    (_title, _sentAs, probes) => {
      for (const { body } of probes) expect(inSteps(body)).toEqual(atOnce(body))
    }
  )

  test('for generated members, with and without errors', () => {
    const value = fc.oneof(mutatedText, surrogateText, fragmentSoup)
    const name = fc.constantFrom(
      ...['input', 'output', 'metadata', 'agent_id', 'agent_i\\u0064', 'input_tokens', '__proto__'],
      ...['decision_id', 'other', '']
    )
    const member = fc.tuple(name, value).map(([key, text]) => `"${key}":${text}`)
    const body = fc.oneof(
      fc.array(member, { maxLength: 6 }).map((all) => `{"input":1,"output":"",${all.join(',')}}`),
      fc.array(member, { maxLength: 6 }).map((all) => `{${all.join(',')}}`),
      objectText.map(({ text }) => text),
      mutatedText,
      fragmentSoup
    )
    const property = fc.property(body, (text) => {
      const bytes = Buffer.from(text)
      expect(inSteps(bytes)).toEqual(atOnce(bytes))
    })
    fc.assert(property, { seed: 20_261_123, numRuns: 10_000 })
  })

  test.each([
    ['invalid JSON after excessive nesting', `{"input":${'['.repeat(70)}`],
    ['too many members', `{${'"a":1,'.repeat(membersMax)}"b":nul}`],
    [
      'a token count with many digits',
      `{"input":1,"output":"","input_tokens":1.${'0'.repeat(900)}}`
    ],
    ['a body that is not an object', '[{}]'],
    ['nothing', '  '],
    ['lines', '{\n"input":1,\n"output":}']
  ])('%s', (_what, text) => {
    expect(inSteps(Buffer.from(text))).toEqual(atOnce(Buffer.from(text)))
  })
})

describe('of a batch', () => {
  /** Pads each item, so that it is long enough to be parsed in steps. */
  const pad = `"pad":"${'x'.repeat(longText)}",`
  const item = fc
    .oneof(
      objectText.map(({ text }) => text),
      mutatedText,
      fragmentSoup
    )
    .map((text) => text.replace('{', `{${pad}`))

  function outcomesOf(contentType: string, body: Buffer): unknown {
    try {
      const { items } = runSteps(parseBatchSteps(contentType, body))
      return items.map((one) => outcomeOf(() => one))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.code
    }
  }

  test('each line has the same result as alone', () => {
    const lines = fc.array(item, { minLength: 1, maxLength: 3 })
    const property = fc.property(lines, (texts) => {
      fc.pre(texts.every((text) => text.trim() !== '' && !text.includes('\n')))
      const all = outcomesOf('application/x-ndjson', Buffer.from(texts.join('\n')))
      const alone = texts.map((text) => {
        const outcome = JSON.stringify(atOnce(Buffer.from(text)))
        return JSON.parse(outcome.replaceAll('The body', 'The line')) as unknown
      })
      expect(JSON.parse(JSON.stringify(all))).toEqual(alone)
    })
    fc.assert(property, { seed: 20_261_123, numRuns: 200 })
  })

  test('each item has the same result as alone, or the batch is not JSON', () => {
    const items = fc.array(item, { minLength: 1, maxLength: 3 })
    const property = fc.property(items, (texts) => {
      fc.pre(texts.every((text) => text.trim() !== ''))
      const body = `{"decisions":[${texts.join(',')}]}`
      const all = outcomesOf(json, Buffer.from(body))
      if (Array.isArray(all) && all.length === texts.length) {
        expect(all).toEqual(texts.map((text) => atOnce(Buffer.from(text))))
      } else expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError)
    })
    fc.assert(property, { seed: 20_261_123, numRuns: 200 })
  })
})

test('rejects a body that is too large before checking its syntax', () => {
  const input = 'x'.repeat(3 * 1024 * 1024)
  const body = `{"output":"","input":"${input}","metadata":{"a":"${input}"},,,`
  expect(inSteps(Buffer.from(body))).toEqual({
    code: 'payload_too_large',
    options: {
      detail: 'The encoded decision is at least 6291466 bytes; the maximum is 4194304.',
      members: { pointer: '/metadata', size_bytes: 3145736, limit_bytes: 4194304 }
    }
  })
})

test('rejects an item that is too large alone, unless it is not JSON', () => {
  const input = `"${'x'.repeat(5 * 1024 * 1024)}"`
  const batchOf = (item: string) => Buffer.from(`{"decisions":[{"input":${input},${item}},{}]}`)
  const { items } = runSteps(parseBatchSteps(json, batchOf('"a":1')))
  expect(items.map((one) => (one instanceof Problem ? one.code : 'read'))).toEqual([
    'payload_too_large',
    'read'
  ])
  const broken = parseBatchSteps(json, batchOf('"a":'))
  expect(() => runSteps(broken)).toThrow(expect.objectContaining({ code: 'malformed_json' }))
})

describe('reads any 10 MiB in small steps', () => {
  const size = 10 * 1024 * 1024
  const filled = (open: string, unit: string, close: string): Buffer =>
    Buffer.from(open + unit.repeat((size - open.length - close.length) / unit.length) + close)

  function countSteps(steps: Steps<unknown>): number {
    let count = 0
    try {
      while (steps.next().done !== true) count += 1
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
    return count
  }

  test.each([
    ['members of input', filled('{"output":"x","input":{', '"k":1,', '"k":1}}')],
    ['objects', filled('{"output":"x","other":[', '{},', '{}]}')],
    ['numbers', filled('{"output":"x","other":[', '1234,', '1]}')],
    ['escapes', filled('{"input":1,"output":"', '\\n', '"}')],
    ['escaped quotes', filled('{"input":1,"output":"', '\\"', '"}')],
    ['surrogates', filled('{"input":1,"output":"', '\\ud83d\\ude00', '"}')],
    ['short strings', filled('{"output":"x","other":[', '"",', '""]}')],
    ['levels', filled('[', '[', '')]
  ])('%s', (_what, body) => {
    expect(countSteps(parseSteps(json, body))).toBeGreaterThanOrEqual(size / stepCharacters - 1)
  })

  test.each([
    ['items with many members', json, 'x', itemsMax],
    ['one item', json, 'x', 1],
    ['lines', 'application/x-ndjson', '\n', itemsMax],
    ['one line', 'application/x-ndjson', '\n', 1]
  ])('%s', (_what, contentType, separator, count) => {
    const members = '"k":1,'.repeat(size / 6 / count - 5)
    const items = Array.from({ length: count }, () => `{"a":{${members}"k":1}}`)
    const isLines = separator === '\n'
    const body = isLines ? items.join('\n') : `{"decisions":[${items.join(',')}]}`
    const steps = countSteps(parseBatchSteps(contentType, Buffer.from(body)))
    // A step ends only after a whole item, so it can exceed `stepCharacters`.
    expect(steps).toBeGreaterThanOrEqual(size / stepCharacters / 1.2)
  })
})
