/** Tests the responses to exporters, and which spans are queued, rejected and ignored. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { spansMax } from '../../../../gateway/otlp/read-spans.ts'
import {
  aSpan,
  answerIn,
  contentTypes,
  encodings,
  exportOf,
  idOf,
  statusIn,
  traceId
} from './export.ts'
import { chat, scene } from './scene.ts'

describe.each(encodings)('in %s', (encoding) => {
  test('other spans are ignored without a partial success', async () => {
    const { send, log, spansCounted } = scene()
    const others = [{ 'http.route': '/' }, { 'openinference.span.kind': 'CHAIN' }, { a: 1 }]
    const { status, bytes } = await send(
      encoding,
      others.map((each) => aSpan(each))
    )
    expect([status, answerIn(encoding, bytes), log]).toEqual([200, {}, []])
    expect(spansCounted()).toEqual({ ignored: 3, queued: 0, rejected: 0 })
  })

  test('a bad span is rejected alone, with its reason', async () => {
    const { send, log, spansCounted } = scene()
    const { status, bytes, headers } = await send(encoding, [
      aSpan(chat, { spanId: idOf(1) }),
      aSpan({ 'gen_ai.operation.name': 'chat' }, { spanId: idOf(2) }),
      aSpan({ ...chat, 'gen_ai.agent.name': 'x'.repeat(300) }, { spanId: idOf(3) }),
      aSpan(chat, { spanId: '0'.repeat(16) })
    ])
    expect([status, log.length, headers['content-type']]).toEqual([200, 1, contentTypes[encoding]])
    const { rejectedSpans, errorMessage } = answerIn(encoding, bytes).partialSuccess ?? {}
    expect(rejectedSpans).toBe('3')
    expect(errorMessage).toContain('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY')
    expect(errorMessage).toContain(`first ${traceId}:${idOf(2)}`)
    expect(errorMessage).toContain('/agent_id must')
    expect(errorMessage).toContain('/v1/logs')
    expect(spansCounted()).toEqual({ ignored: 0, queued: 1, rejected: 3 })
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
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean())
    const names = fc.constantFrom(...Object.keys(chat), 'input.value', 'llm.input_messages.0.x')
    const members = fc.dictionary(names, value, { maxKeys: 8 })
    await fc.assert(
      fc.asyncProperty(fc.array(members, { maxLength: 5 }), async (spans) => {
        const { send, log, spansCounted } = scene()
        const { status } = await send(
          encoding,
          spans.map((each, index) => aSpan(each, { spanId: idOf(index) }))
        )
        const { queued, rejected, ignored } = spansCounted()
        expect([status, Number(queued)]).toEqual([200, log.length])
        expect(Number(queued) + Number(rejected) + Number(ignored)).toBe(spans.length)
      }),
      { numRuns: 300 }
    )
  })
})

test.each([
  ['protobuf', 'that is cut', exportOf('protobuf', [aSpan(chat)]).subarray(0, 300)],
  ['protobuf', 'with a string that is not UTF-8', latin1Export()],
  ['json', 'that is no JSON', Buffer.from('{"resourceSpans":[')],
  ['json', 'that is a list', Buffer.from('null')],
  ['json', 'with spans that are no list', Buffer.from('{"resourceSpans":{}}')]
] as const)('a body in %s %s gets 400', async (encoding, _what, body) => {
  const { sendBytes } = scene()
  const reply = await sendBytes(encoding, body)
  expect(reply.status).toBe(400)
  expect(statusIn(encoding, reply.bytes)).toMatchObject({ code: 3 })
})

function latin1Export(): Buffer {
  const bytes = exportOf('protobuf', [aSpan(chat)])
  bytes[bytes.indexOf('claims-agent')] = 0xe9
  return bytes
}
