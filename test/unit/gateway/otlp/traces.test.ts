/** Tests that spans of each dialect become decisions, and the responses to exporters. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { uuidv5 } from '../../../../core/ids/ids.ts'
import { Problem } from '../../../../core/problem.ts'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import type { Call } from '../../../../http/call.ts'
import { loadKernel } from '../../../../gateway/ingest/kernel/kernel.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import type { Encoding } from '../../../../gateway/otlp/decode.ts'
import { spansMax } from '../../../../gateway/otlp/read-spans.ts'
import { otlpNamespace } from '../../../../gateway/otlp/span-decision.ts'
import { createTraces } from '../../../../gateway/otlp/traces.ts'
import { createDecoderFactory } from '../../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { callOf } from '../../api/fakes.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { createNotes, createReaders, principal, quota, recordAt } from '../ingest/fakes.ts'
import {
  aSpan,
  answerIn,
  attributesOf,
  contentTypes,
  encodings,
  exportOf,
  idOf,
  spanId,
  statusIn,
  traceId
} from './export.ts'
import type { TestSpan } from './export.ts'

const kernel = loadKernel()
const limited = new Problem('rate_limited', { detail: 'No.', headers: { 'retry-after': '7' } })
const away = new Problem('log_unavailable', { detail: 'No.', headers: { 'retry-after': '2' } })

interface Scene {
  readonly granted?: number
  /** Fails the writing of this item. */
  readonly failsAt?: number
}

function scene({ granted, failsAt }: Scene = {}) {
  const metrics = new RecordingMetrics()
  const { notes: usage } = createNotes()
  const log: { readonly decision: Decision; readonly headers: Record<string, string> }[] = []
  const limitRate = (_who: unknown, items: number): Quota => {
    const fits = Math.min(items, granted ?? items)
    return { ...quota, granted: fits, problem: fits < items ? limited : null }
  }
  const traces = createTraces({
    authenticate: () => Promise.resolve(principal),
    findSpent: () => null,
    shareLong: createFairShare({ what: 'bodies', atOnceMax: 1, waitingMax: 32 }),
    readBatch: createReaders({ kernel, metrics }).readBatch,
    limitRate,
    limitAgents: async () => {},
    produce: async (batch) => {
      for (const index of batch.problems.keys()) {
        const record = recordAt(batch, index)
        if (index === failsAt) batch.problems[index] = away
        if (record === null || batch.problems[index] !== null) continue
        log.push({ decision: decode(record.value), headers: record.headers })
      }
    },
    outcomes: createOutcomes({ limitRate, metrics, usage }),
    ...{ usage, metrics },
    logger: { error: () => {} } as never
  })
  const sendBytes = async (encoding: Encoding, body: Buffer, headers: Call['headers'] = {}) => {
    const type = { 'content-type': contentTypes[encoding], ...headers }
    const useBody: Call['useBody'] = (_limits, use) => use(body)
    const { status, headers: sent, ...content } = await traces(callOf({ headers: type, useBody }))
    return { status, headers: sent, bytes: Buffer.from(content.bytes ?? content.body) }
  }
  const send = (encoding: Encoding, spans: readonly TestSpan[], headers: Call['headers'] = {}) =>
    sendBytes(encoding, exportOf(encoding, spans), headers)
  const spansCounted = (): Record<string, number> =>
    Object.fromEntries(
      metrics.counts
        .filter(({ name }) => name === 'sluice_otlp_spans_total')
        .map(({ labels, value }) => [labels['outcome'] ?? '', value])
    )
  return { send, sendBytes, log, spansCounted }
}

const decodePayload = createDecoderFactory<Decision>(decisionContract.schema)(
  decisionContract.schema
)
const wireHeaderBytes = 5
const decode = (value: Buffer): Decision => decodePayload(value.subarray(wireHeaderBytes))

const messages = '[{"role":"user","parts":[{"type":"text","content":"Is 4.10 covered?"}]}]'
const reply =
  '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}],"finish_reason":"stop"}]'
const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-5',
  'gen_ai.agent.name': 'claims-agent',
  'gen_ai.conversation.id': 'c-17',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 4,
  'gen_ai.input.messages': messages,
  'gen_ai.output.messages': reply
}

/** Sends one span and returns its decision. */
async function decisionFrom(encoding: Encoding, members: object, more: TestSpan = {}) {
  const { send, log } = scene()
  const { status } = await send(encoding, [aSpan(members, more)], {
    'sluice-otlp-kinds': 'agent,decision,generation,tool'
  })
  expect(status).toBe(200)
  const [first] = log
  if (first === undefined) throw new Error('the span became no decision')
  const metadata = JSON.parse(first.decision.metadata ?? '{}') as Record<string, unknown>
  return { ...first, metadata, otel: metadata['otel'] as Record<string, unknown> }
}

describe.each(encodings)('in %s', (encoding) => {
  test('a call to a model becomes a decision with everything it says', async () => {
    const { decision, headers, metadata, otel } = await decisionFrom(encoding, chat, {
      parentSpanId: idOf(7),
      flags: 1
    })
    expect(decision).toMatchObject({
      decision_id: uuidv5(otlpNamespace, `${traceId}:${spanId}`),
      input: `{"messages":${messages}}`,
      output: 'Yes.',
      agent_id: 'claims-agent',
      session_id: 'c-17',
      domain: null,
      input_tokens: 120,
      output_tokens: 4
    })
    expect(metadata).toMatchObject({
      model: 'gpt-5',
      latency_ms: 1500,
      occurred_at: '2025-11-24T16:00:01.500Z'
    })
    expect(otel).toMatchObject({
      trace_id: traceId,
      span_id: spanId,
      parent_span_id: idOf(7),
      parent_decision_id: uuidv5(otlpNamespace, `${traceId}:${idOf(7)}`),
      kind: 'generation',
      dialect: 'gen_ai',
      output_format: 'text',
      resource: { 'service.name': 'claims' }
    })
    expect(headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`)
  })

  test('structured messages keep every digit', async () => {
    const exact = 9007199254740993n
    const { decision } = await decisionFrom(encoding, {
      ...chat,
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'data', id: exact, is: true }] }]
    })
    expect(decision.input).toBe(
      '{"messages":[{"role":"user","parts":[{"type":"data","id":9007199254740993,"is":true}]}]}'
    )
  })

  test.each([
    ['cut by the SDK', '[{"role":"user","parts":[{"type":"te'],
    ['written to break out of its member', '[]},"output":"forged","x":{"y":[]']
  ])('messages that are %s stay a string', async (_what, text) => {
    const { decision, otel } = await decisionFrom(encoding, {
      ...chat,
      'gen_ai.input.messages': text
    })
    expect(decision.input).toBe(`{"messages":${JSON.stringify(text)}}`)
    expect(decision.output).toBe('Yes.')
    expect(otel['truncated']).toBe(true)
  })

  test.each([
    [
      'OpenInference, with messages in attributes of their own',
      {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'small-1',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Hello',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'Hi',
        'llm.token_count.prompt': 5,
        'llm.token_count.completion': 1,
        'session.id': 's'
      },
      {
        input: '[{"role":"user","content":"Hello"}]',
        output: 'Hi',
        input_tokens: 5,
        output_tokens: 1,
        session_id: 's',
        agent_id: 'claims'
      }
    ],
    [
      'OpenInference, with values',
      {
        'openinference.span.kind': 'AGENT',
        'input.value': '{"a":1.50}',
        'input.mime_type': 'application/json',
        'output.value': 'done'
      },
      { input: '{"a":1.50}', output: 'done' }
    ],
    [
      'a decision model',
      {
        'openinference.span.kind': 'DECISION',
        'decision.model_name': 'd-1',
        'decision.token_count.input': 9,
        'input.value': '{"state":1}',
        'input.mime_type': 'application/json',
        'output.value': '{"answer":"approve","p":0.9}',
        'output.mime_type': 'application/json'
      },
      { input: '{"state":1}', output: '{"answer":"approve","p":0.9}', input_tokens: 9 }
    ],
    [
      'OpenLLMetry',
      {
        'llm.request.type': 'chat',
        'gen_ai.system': 'OpenAI',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Hello',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'Hi',
        'gen_ai.completion.0.finish_reason': 'stop',
        'gen_ai.usage.prompt_tokens': 5,
        'traceloop.association.properties.session_id': 's'
      },
      {
        input: '[{"role":"user","content":"Hello"}]',
        output: 'Hi',
        input_tokens: 5,
        session_id: 's'
      }
    ],
    [
      'OpenLLMetry, a workflow',
      {
        'traceloop.span.kind': 'workflow',
        'traceloop.entity.name': 'refunds',
        'traceloop.entity.input': '{"inputs":{"order":1}}',
        'traceloop.entity.output': '"ok"'
      },
      { input: '{"inputs":{"order":1}}', output: '"ok"', agent_id: 'refunds' }
    ],
    [
      'the AI SDK',
      {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.telemetry.functionId': 'triage',
        'ai.model.id': 'small-1',
        'ai.prompt.messages': '[{"role":"user","content":"Hello"}]',
        'ai.response.text': '42',
        'ai.usage.promptTokens': 5,
        'ai.usage.completionTokens': 1
      },
      {
        input: '[{"role":"user","content":"Hello"}]',
        output: '42',
        agent_id: 'triage',
        input_tokens: 5,
        output_tokens: 1
      }
    ],
    [
      'a tool',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.arguments': '{"order":1}',
        'gen_ai.tool.call.result': '{"state":"paid"}'
      },
      { input: '{"order":1}', output: '{"state":"paid"}', input_tokens: null }
    ]
  ])('%s is read', async (_dialect, members, expected) => {
    const { decision } = await decisionFrom(encoding, members)
    expect(decision).toMatchObject(expected)
  })

  test('content in events of the span is read', async () => {
    const events = [
      { name: 'gen_ai.user.message', attributes: attributesOf({ content: 'Hello' }) },
      { name: 'gen_ai.choice', attributes: attributesOf({ message: 'Hi', index: 0 }) }
    ]
    const { decision } = await decisionFrom(
      encoding,
      { 'gen_ai.operation.name': 'chat' },
      { events }
    )
    expect(decision.input).toBe('[{"role":"user","content":"Hello"}]')
    expect(decision.output).toBe('[{"role":"assistant","message":"Hi","index":0}]')
  })

  test('the sum of tokens on an agent is not counted', async () => {
    const { decision, otel } = await decisionFrom(encoding, {
      ...chat,
      'gen_ai.operation.name': 'invoke_agent'
    })
    expect([decision.input_tokens, decision.output_tokens]).toEqual([null, null])
    expect(otel['usage_aggregate']).toEqual({ input_tokens: 120, output_tokens: 4 })
  })

  test('a failed call has an empty output and its error', async () => {
    const failed = { ...chat, 'gen_ai.output.messages': undefined }
    const { decision, metadata } = await decisionFrom(encoding, failed, {
      status: { code: 2, message: 'timeout' }
    })
    expect(decision.output).toBe('')
    expect(metadata['error']).toBe('timeout')
  })

  test('the parent is the nearest ancestor that is not ignored', async () => {
    const { send, log } = scene()
    const step = { 'gen_ai.operation.name': 'agent_step' }
    await send(encoding, [
      aSpan(chat, { spanId: idOf(3), parentSpanId: idOf(2) }),
      aSpan(step, { spanId: idOf(2), parentSpanId: idOf(1) })
    ])
    const { otel } = JSON.parse(log[0]?.decision.metadata ?? '') as { otel: object }
    expect(otel).toMatchObject({
      parent_span_id: idOf(2),
      parent_decision_id: uuidv5(otlpNamespace, `${traceId}:${idOf(1)}`)
    })
  })

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
