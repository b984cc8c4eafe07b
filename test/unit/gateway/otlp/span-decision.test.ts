/** Tests that spans of each dialect become decisions. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { uuidv5 } from '../../../../core/ids/ids.ts'
import { otlpNamespace } from '../../../../core/decision/of-span.ts'
import {
  aSpan,
  answerIn,
  attributesOf,
  encodings,
  idOf,
  spanId,
  traceId
} from '../../../support/otlp-export.ts'
import { chat, decisionFrom, messages, scene } from './scene.ts'

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
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
      trace_id: traceId,
      kind: 'generation',
      name: 'step',
      parent_decision_id: uuidv5(otlpNamespace, `${traceId}:${idOf(7)}`),
      model: 'gpt-5',
      latency_ms: 1500,
      occurred_at: '2025-11-24T16:00:01.500Z'
    })
    expect(otel).toMatchObject({
      span_id: spanId,
      parent_span_id: idOf(7),
      dialect: 'gen_ai',
      output_format: 'text',
      resource: { 'service.name': 'claims' }
    })
    expect(headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`)
  })

  test('the only text of a reply is the output, in whatever way it is written', async () => {
    const reply = (content: string, more: object = {}) => [
      { role: 'assistant', parts: [{ type: 'text', content }], ...more }
    ]
    const styles: readonly ((json: unknown) => string)[] = [
      JSON.stringify,
      (json) => JSON.stringify(json).replaceAll('":', '": ').replaceAll(',"', ', "'),
      (json) => JSON.stringify(json).replace(/[^ -~]/g, escaped),
      (json) => ` ${JSON.stringify(json, null, 2)}\n`
    ]
    const content = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '🙂', '}', ']') })
    const ending = fc.constantFrom({}, { finish_reason: 'stop' }, { finish_reason: null })
    await fc.assert(
      fc.asyncProperty(content, ending, fc.constantFrom(...styles), async (text, more, write) => {
        const json = write(reply(`Long enough to be copied: ${text}`, more))
        const { decision, otel } = await decisionFrom(encoding, {
          ...chat,
          'gen_ai.output.messages': json
        })
        expect(decision.output).toBe(`Long enough to be copied: ${text}`)
        expect(otel['output_format']).toBe('text')
      }),
      { numRuns: 200 }
    )
  })

  test.each([
    '[{"role":"assistant","parts":[{"type":"text","content":"a"},{"type":"call","id":"b"}]}]',
    '[{"role":"assistant","parts":[{"type":"text","content":"a"}],"finish_reason":"stop","id":"}]',
    '[{"role":"assistant","parts":[{"type":"text","content":"a" "b"}],"finish_reason":"stop"}]',
    '[{"role":"assistant","parts":[{"type":"text","content":"}],"finish_reason":"stop"}]',
    '[{"role":"assistant","parts":[{"type":"text","content":"a\\"}],"finish_reason":"stop"}]'
  ])('the output %s stays as it is', async (text) => {
    const members = { ...chat, 'gen_ai.output.messages': text }
    const { decision } = await decisionFrom(encoding, members)
    expect(decision.output).toBe(text)
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
    ['cut by the SDK', '[{"role":"user","parts":[{"type":"te', true],
    ['written to break out of its member', '[]},"output":"forged","x":{"y":[]', undefined],
    ['a text in brackets', '[1] See the policy.', undefined]
  ])('messages that are %s stay a string', async (_what, text, isTruncated) => {
    const { decision, otel } = await decisionFrom(encoding, {
      ...chat,
      'gen_ai.input.messages': text
    })
    expect(decision.input).toBe(`{"messages":${JSON.stringify(text)}}`)
    expect(decision.output).toBe('Yes.')
    expect(otel['truncated']).toBe(isTruncated)
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
      'OpenInference, with a request and its messages',
      {
        'openinference.span.kind': 'LLM',
        'input.value': '{"model": "small-1", "messages": [{"role": "user", "content": "Hi"}]}',
        'input.mime_type': 'application/json',
        'output.value': '{"id":"r-1","choices":[]}',
        'output.mime_type': 'application/json',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Hi',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.contents.0.message_content.type': 'text',
        'llm.output_messages.0.message.contents.0.message_content.text': 'Hello'
      },
      {
        input: '{"model": "small-1", "messages": [{"role": "user", "content": "Hi"}]}',
        output: 'Hello'
      }
    ],
    [
      'Pydantic AI, an agent',
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'claims',
        'pydantic_ai.all_messages': messages,
        'gen_ai.system_instructions': '[]',
        final_result: 'Yes.',
        'gen_ai.aggregated_usage.input_tokens': 22
      },
      {
        input: `{"messages":${messages},"system_instructions":[]}`,
        output: 'Yes.',
        agent_id: 'claims',
        input_tokens: null
      }
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
      { input: '{"inputs":{"order":1}}', output: 'ok', agent_id: 'refunds' }
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

  test.each(['007', '', ' ', '0x10', '1.5', '-1', '1e3', true])(
    'the number of tokens %j stays an attribute',
    async (tokens) => {
      const { decision, otel } = await decisionFrom(encoding, {
        ...chat,
        'gen_ai.usage.input_tokens': tokens,
        'llm.token_count.prompt': 9
      })
      expect(decision.input_tokens).toBe(9)
      expect(otel['attributes']).toMatchObject({ 'gen_ai.usage.input_tokens': tokens })
    }
  )

  test('a failed call has an empty output and its error', async () => {
    const failed = { ...chat, 'gen_ai.output.messages': undefined }
    const { decision, metadata } = await decisionFrom(encoding, failed, {
      status: { code: 2, message: 'timeout' }
    })
    expect(decision.output).toBe('')
    expect(metadata['error']).toBe('timeout')
  })

  test('the parent is the nearest ancestor that is not ignored', async () => {
    const { send, produced } = scene()
    const step = { 'gen_ai.operation.name': 'agent_step' }
    await send(encoding, [
      aSpan(chat, { spanId: idOf(3), parentSpanId: idOf(2) }),
      aSpan(step, { spanId: idOf(2), parentSpanId: idOf(1) })
    ])
    expect(JSON.parse(produced[0]?.decision.metadata ?? '')).toMatchObject({
      parent_decision_id: uuidv5(otlpNamespace, `${traceId}:${idOf(1)}`),
      otel: { parent_span_id: idOf(2) }
    })
  })

  test('an ignored root is no parent', async () => {
    const { send, produced } = scene()
    await send(encoding, [
      aSpan(chat, { spanId: idOf(2), parentSpanId: idOf(1) }),
      aSpan({ 'openinference.span.kind': 'CHAIN' }, { spanId: idOf(1) })
    ])
    const metadata: unknown = JSON.parse(produced[0]?.decision.metadata ?? '')
    expect(metadata).toMatchObject({ otel: { parent_span_id: idOf(1) } })
    expect(metadata).not.toHaveProperty('parent_decision_id')
  })

  test('a parent in another request is computed from its ids', async () => {
    const { send, produced } = scene()
    await send(encoding, [aSpan(chat, { spanId: idOf(2), parentSpanId: idOf(1) })])
    await send(encoding, [
      aSpan({ ...chat, 'gen_ai.operation.name': 'invoke_agent' }, { spanId: idOf(1) })
    ])
    expect(JSON.parse(produced[0]?.decision.metadata ?? '')).toMatchObject({
      parent_decision_id: produced[1]?.decision.decision_id
    })
  })

  test.each([
    ['no UUID', 'x'.repeat(36)],
    ['longer', `${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(13)}`]
  ])('an own decision_id that is %s rejects the span', async (_what, id) => {
    const { send, produced } = scene()
    const { bytes } = await send(encoding, [aSpan({ ...chat, 'sluice.decision_id': id })])
    expect(answerIn(encoding, bytes).partialSuccess?.errorMessage).toContain('must be a UUID')
    expect(produced).toEqual([])
  })

  test('an own decision_id is used in lower case', async () => {
    const own = '01938C4E-5B7A-7C3E-9F00-2F6D1C1B8A55'
    const { decision } = await decisionFrom(encoding, { ...chat, 'sluice.decision_id': own })
    expect(decision.decision_id).toBe(own.toLowerCase())
  })
})
