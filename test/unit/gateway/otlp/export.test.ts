/** Tests the responses to exporters, and which spans are queued, rejected and ignored. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { uuidv5 } from '../../../../core/ids/ids.ts'
import { otlpNamespace } from '../../../../core/decision/of-span.ts'
import { spansMax } from '../../../../gateway/otlp/read-spans.ts'
import {
  aLogRecord,
  aSpan,
  answerIn,
  bodyOf,
  contentTypes,
  encodings,
  exportOf,
  idOf,
  logsOf,
  statusIn,
  traceId
} from '../../../support/otlp-export.ts'
import { chat, scene } from './scene.ts'

describe.each(encodings)('in %s', (encoding) => {
  test('other spans are ignored without a partial success', async () => {
    const { send, produced, spansCounted } = scene()
    const others = [{ 'http.route': '/' }, { 'openinference.span.kind': 'CHAIN' }, { a: 1 }]
    const { status, bytes } = await send(
      encoding,
      others.map((each) => aSpan(each))
    )
    expect([status, answerIn(encoding, bytes), produced]).toEqual([200, {}, []])
    expect(spansCounted()).toEqual({ ignored: 3, queued: 0, rejected: 0 })
  })

  test('a bad span is rejected alone, with its reason', async () => {
    const { send, produced, spansCounted } = scene()
    const { status, bytes, headers } = await send(encoding, [
      aSpan(chat, { spanId: idOf(1) }),
      aSpan({ 'gen_ai.operation.name': 'chat' }, { spanId: idOf(2) }),
      aSpan({ ...chat, 'gen_ai.agent.name': 'x'.repeat(300) }, { spanId: idOf(3) }),
      aSpan(chat, { spanId: '0'.repeat(16) })
    ])
    expect([status, produced.length, headers['content-type']]).toEqual([
      200,
      1,
      contentTypes[encoding]
    ])
    const { rejectedSpans, errorMessage } = answerIn(encoding, bytes).partialSuccess ?? {}
    expect(rejectedSpans).toBe('3')
    expect(errorMessage).toContain('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY')
    expect(errorMessage).toContain(`first ${traceId}:${idOf(2)}`)
    expect(errorMessage).toContain('/agent_id must')
    expect(errorMessage).toContain('Send spans to /v1/traces')
    expect(spansCounted()).toEqual({ ignored: 0, queued: 1, rejected: 3 })
  })

  test('one span of each fault is shown to the owner of the key', async () => {
    const { send, noted } = scene()
    const bare = { 'gen_ai.operation.name': 'chat' }
    await send(encoding, [aSpan(bare), aSpan(bare), aSpan(chat, { spanId: '0'.repeat(16) })])
    const [owner] = noted.drain().organizations.values()
    expect(owner?.attempts.map(({ detail }) => detail.slice(0, 15))).toEqual([
      'the content was',
      'trace_id must h'
    ])
  })

  test.each([
    ['the rate limit', { granted: 1 }, 429, '7', 8],
    ['a failed write', { failsAt: 1 }, 503, '2', 14]
  ])('after %s the whole request fails', async (_what, options, status, retryAfter, code) => {
    const { send } = scene(options)
    const spans = [1, 2].map((number) => aSpan(chat, { spanId: idOf(number) }))
    const reply = await send(encoding, spans)
    expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter])
    expect(statusIn(encoding, reply.bytes)).toMatchObject({ code })
  })

  test('unknown kinds of spans are rejected', async () => {
    const { send } = scene()
    const reply = await send(encoding, [], { 'sluice-otlp-kinds': 'agent,all' })
    expect(reply.status).toBe(400)
    expect(statusIn(encoding, reply.bytes).message).toContain('agent, decision, generation, tool')
  })

  test('an empty request is a success', async () => {
    const { sendBytes } = scene()
    const reply = await sendBytes(
      encoding,
      encoding === 'json' ? Buffer.from('{}') : Buffer.alloc(0)
    )
    expect([reply.status, answerIn(encoding, reply.bytes)]).toEqual([200, {}])
  })

  test('too many spans are rejected', async () => {
    const { send } = scene()
    const spans = Array.from({ length: spansMax + 1 }, () => aSpan({}))
    expect((await send(encoding, spans)).status).toBe(413)
  })

  test('every span is queued, rejected or ignored, whatever it contains', async () => {
    const digits = fc.nat(99).map((number) => `0${number}`)
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), digits)
    const names = fc.constantFrom(...Object.keys(chat), 'input.value', 'llm.input_messages.0.x')
    const members = fc.dictionary(names, value, { maxKeys: 8 })
    await fc.assert(
      fc.asyncProperty(fc.array(members, { maxLength: 5 }), async (spans) => {
        const { send, produced, spansCounted } = scene()
        const { status } = await send(
          encoding,
          spans.map((each, index) => aSpan(each, { spanId: idOf(index) }))
        )
        const { queued, rejected, ignored } = spansCounted()
        expect([status, Number(queued)]).toEqual([200, produced.length])
        expect(Number(queued) + Number(rejected) + Number(ignored)).toBe(spans.length)
      }),
      { numRuns: 300 }
    )
  })
})

test.each([
  ['protobuf', 'that is cut', exportOf('protobuf', [aSpan(chat)]).subarray(0, 300)],
  ['json', 'that is no JSON', Buffer.from('{"resourceSpans":[')],
  ['json', 'that is null', Buffer.from('null')],
  ['json', 'that is a list', Buffer.from('[]')],
  ['json', 'with spans that are no list', Buffer.from('{"resourceSpans":{}}')]
] as const)('a body in %s %s gets 400', async (encoding, _what, body) => {
  const { sendBytes } = scene()
  const reply = await sendBytes(encoding, body)
  expect(reply.status).toBe(400)
  expect(statusIn(encoding, reply.bytes)).toMatchObject({ code: 3 })
})

test('a name of a scope that is not UTF-8 rejects its spans', async () => {
  const body = exportOf('protobuf', [aSpan(chat)])
  body[body.lastIndexOf('test')] = 0xe9
  const { status, bytes } = await scene().sendBytes('protobuf', body)
  expect(status).toBe(200)
  expect(answerIn('protobuf', bytes).partialSuccess?.errorMessage).toBe(
    'Rejected: 1. 1: a string is not UTF-8'
  )
})

test('a string that is not UTF-8 rejects only its span', async () => {
  const { sendBytes, produced } = scene()
  const spans = [aSpan(chat, { spanId: idOf(1) }), aSpan(chat, { spanId: idOf(2) })]
  const body = exportOf('protobuf', spans)
  body[body.indexOf('claims-agent')] = 0xe9
  const { status, bytes } = await sendBytes('protobuf', body)
  expect(status).toBe(200)
  expect(answerIn('protobuf', bytes).partialSuccess?.errorMessage).toBe(
    'Rejected: 1. 1: a string is not UTF-8'
  )
  expect(produced).toHaveLength(1)
})

test.each(['constructor', '__proto__', 'text/plain', ''])(
  'the Content-Type %j gets 415 in JSON',
  async (contentType) => {
    const { sendBytes } = scene()
    const reply = await sendBytes('json', Buffer.from('{}'), { 'content-type': contentType })
    expect([reply.status, reply.headers['content-type']]).toEqual([415, contentTypes.json])
  }
)

test('each of many spans has its own id and traceparent, if the parser read it, too', async () => {
  const { send, produced } = scene()
  const spans = Array.from({ length: 1203 }, (_, index) =>
    // The parser reads every third span, because the kernel leaves escaped names to it.
    aSpan(index % 3 === 0 ? { ...chat, 'session.id': '\ud83d\ude00' } : chat, {
      spanId: idOf(index + 1)
    })
  )
  expect((await send('protobuf', spans)).status).toBe(200)
  expect(produced.map(({ headers }) => headers['traceparent'])).toEqual(
    spans.map((span) => `00-${traceId}-${span.spanId}-00`)
  )
  expect(
    produced.map(({ decision, headers }) => [decision.decision_id, headers['decision_id']])
  ).toEqual(
    spans.map((span) => {
      const id = uuidv5(otlpNamespace, `${traceId}:${span.spanId}`)
      return [id, id]
    })
  )
})

test('a temporary failure is reported with its cause', async () => {
  const { send, reported } = scene({ failsAt: 0 })
  await send('protobuf', [aSpan(chat)])
  expect(reported).toEqual(['log_unavailable'])
})

describe('a request that would cost too much', () => {
  const long = 'x'.repeat(1001)

  test.each([
    ['service.name', { 'service.name': long }],
    ['service.version', { 'service.version': long }]
  ])('with a long %s is rejected', async (name, resource) => {
    const { sendBytes } = scene()
    const { bytes } = await sendBytes('protobuf', exportOf('protobuf', [aSpan(chat)], resource))
    expect(answerIn('protobuf', bytes).partialSuccess?.errorMessage).toContain(
      `${name} has more than 1000 characters`
    )
  })

  test('with a resource that would be repeated too often gets 413', async () => {
    const resource = { text: 'x'.repeat(8000) }
    const spans = Array.from({ length: 4500 }, (_, index) =>
      aSpan(chat, { spanId: idOf(index + 1) })
    )
    const { sendBytes, produced } = scene()
    const { status } = await sendBytes('protobuf', exportOf('protobuf', spans, resource))
    expect([status, produced]).toEqual([413, []])
  })

  test.each(encodings)('with a text of more than 4 MiB in %s is rejected', async (encoding) => {
    const { send } = scene()
    const members = { ...chat, 'gen_ai.input.messages': '['.repeat(4 * 1024 * 1024 + 1) }
    const { bytes } = await send(encoding, [aSpan(members)])
    expect(answerIn(encoding, bytes).partialSuccess?.errorMessage).toContain('a text has more than')
  })

  test('with many log records of one call is rejected', async () => {
    const { sendBytes, spansCounted } = scene({ signal: 'logs' })
    const members = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]))
    const record = aLogRecord('gen_ai.choice', members, bodyOf({ content: 'Yes.' }))
    const records = Array.from({ length: 200 }, () => record)
    await sendBytes('protobuf', logsOf('protobuf', records))
    expect(spansCounted()).toMatchObject({ queued: 0, rejected: 200 })
  })

  test('does not count a decision for the rejected spans after it', async () => {
    const long = { ...chat, 'gen_ai.input.messages': JSON.stringify(['x'.repeat(1_000_000)]) }
    const bare = { 'gen_ai.operation.name': 'chat' }
    const { send, spansCounted } = scene()
    const { status } = await send('protobuf', [
      aSpan(long),
      ...Array.from({ length: 50 }, (_, index) => aSpan(bare, { spanId: idOf(index + 1) }))
    ])
    expect([status, spansCounted()]).toMatchObject([200, { queued: 1, rejected: 50 }])
  })
})

test.each(encodings)('a long reply of many values in %s stays JSON', async (encoding) => {
  const { send, produced } = scene()
  const reply = JSON.stringify(Array.from({ length: 100_000 }, () => ({ a: 1 })))
  await send(encoding, [aSpan({ ...chat, 'gen_ai.output.messages': reply })])
  expect(produced[0]?.decision.output).toBe(reply)
})

test('a lone surrogate in messages is rejected, like anywhere else', async () => {
  const { sendBytes } = scene()
  const body = String(exportOf('json', [aSpan({ ...chat, 'gen_ai.input.messages': '["@"]' })]))
  const { bytes } = await sendBytes('json', Buffer.from(body.replace('@', '\\ud800')))
  expect(answerIn('json', bytes).partialSuccess?.rejectedSpans).toBe('1')
})

test.each([
  ['a nested list', '[[["1",1],1],1]'],
  ['an object', '{"toString":1,"valueOf":1}'],
  ['a long text', `"${' '.repeat(50)}1"`]
])('a number that is %s rejects its span', async (_what, number) => {
  const { sendBytes } = scene()
  const body = String(exportOf('json', [aSpan(chat, { flags: 77 })]))
  const { status, bytes } = await sendBytes(
    'json',
    Buffer.from(body.replace('"flags":77', `"flags":${number}`))
  )
  expect(status).toBe(200)
  expect(answerIn('json', bytes).partialSuccess?.errorMessage).toContain('a number is malformed')
})
