/** Tests how log records become decisions and scores. */
import { describe, expect, test } from '@jest/globals'
import { decisionIdOf } from '../../../../core/decision/of-span.ts'
import {
  aLogRecord,
  answerIn,
  attributesOf,
  bodyOf,
  encodings,
  idOf,
  logsOf,
  spanId,
  traceId
} from '../../../support/otlp-export.ts'
import type { TestLogRecord } from '../../../support/otlp-export.ts'
import { chat, messages, reply, scene } from './scene.ts'

const details = 'gen_ai.client.inference.operation.details'

describe.each(encodings)('in %s', (encoding) => {
  async function sendLogs(...records: readonly TestLogRecord[]) {
    const { sendBytes, produced, scores, spansCounted } = scene({ signal: 'logs' })
    const { status, bytes } = await sendBytes(encoding, logsOf(encoding, records))
    expect(status).toBe(200)
    const decisions = produced.map(({ decision }) => decision)
    return { answer: answerIn(encoding, bytes), decisions, scores, counted: spansCounted() }
  }

  test('the details of a call become the decision of its span', async () => {
    const { decisions, answer } = await sendLogs(aLogRecord(details, chat))
    expect([decisions.length, answer]).toEqual([1, {}])
    expect(decisions[0]).toMatchObject({
      decision_id: decisionIdOf(`${traceId}:${spanId}`),
      input: `{"messages":${messages}}`,
      output: 'Yes.',
      agent_id: 'claims-agent',
      input_tokens: 120
    })
    expect(JSON.parse(decisions[0]?.metadata ?? '')).toMatchObject({
      trace_id: traceId,
      kind: 'generation',
      model: 'gpt-5',
      occurred_at: '2025-11-24T16:00:01.500Z',
      otel: { span_id: spanId }
    })
  })

  test('structured messages of several records are one decision', async () => {
    const [one, other] = ['Yes', ' and no.'].map((content) => {
      return { role: 'assistant', parts: [{ type: 'text', content }] }
    })
    const { decisions, counted } = await sendLogs(
      aLogRecord(details, { 'gen_ai.input.messages': [{ role: 'user', id: 9007199254740993n }] }),
      aLogRecord(details, { 'gen_ai.output.messages': [one] }),
      aLogRecord(details, { 'gen_ai.output.messages': [other] })
    )
    expect(decisions).toHaveLength(1)
    expect(decisions[0]?.input).toBe('{"messages":[{"role":"user","id":9007199254740993}]}')
    expect(JSON.parse(decisions[0]?.output ?? '')).toEqual([one, other])
    expect(counted).toEqual({ queued: 3, scored: 0, rejected: 0, ignored: 0 })
  })

  test.each([
    ['the name of the event', {}],
    [
      'an attribute with that name',
      { eventName: '', attributes: attributesOf({ 'event.name': 'gen_ai.choice' }) }
    ]
  ])('messages are found by %s', async (_what, more) => {
    const { decisions } = await sendLogs(
      aLogRecord('gen_ai.system.message', { 'gen_ai.system': 'x' }, bodyOf({ content: 'Brief.' })),
      aLogRecord('gen_ai.user.message', {}, bodyOf({ content: 'Is it due?' })),
      aLogRecord(
        'gen_ai.choice',
        {},
        {
          ...bodyOf({ index: 0, finish_reason: 'stop', message: { content: 'Yes.' } }),
          ...more
        }
      )
    )
    expect(decisions).toHaveLength(1)
    expect(decisions[0]?.input).toBe(
      '[{"role":"system","content":"Brief."},{"role":"user","content":"Is it due?"}]'
    )
    expect(decisions[0]?.output).toBe('Yes.')
  })

  test('the attributes of a message are those of the call', async () => {
    const attributes = { 'gen_ai.system': 'openai', 'gen_ai.agent.name': 'parcels' }
    const { decisions } = await sendLogs(
      aLogRecord('gen_ai.user.message', attributes, bodyOf({ content: 'Where is it?' })),
      aLogRecord('gen_ai.choice', attributes, bodyOf({ message: { content: 'Here.' } }))
    )
    expect(decisions[0]).toMatchObject({
      agent_id: 'parcels',
      input: '[{"role":"user","content":"Where is it?"}]',
      output: 'Here.'
    })
    expect(decisions[0]?.metadata).toContain('"provider":"openai"')
  })

  test.each([
    ['has a time', { timeUnixNano: '1795883709098000000' }],
    ['was only observed', { timeUnixNano: '0' }]
  ])('a record that %s has that time to the millisecond', async (_what, times) => {
    const observed = { observedTimeUnixNano: '1795883709098000000', ...times }
    const { decisions } = await sendLogs(aLogRecord(details, chat, observed))
    expect(decisions[0]?.metadata).toContain('"occurred_at":"2026-11-28T16:35:09.098Z"')
  })

  test('calls of different spans are different decisions', async () => {
    const { decisions } = await sendLogs(
      aLogRecord(details, chat),
      aLogRecord(details, chat, { spanId: idOf(2) })
    )
    expect(new Set(decisions.map(({ decision_id }) => decision_id)).size).toBe(2)
  })

  test.each([
    ['no content', 'CAPTURE_MESSAGE_CONTENT', [{ 'gen_ai.operation.name': 'chat' }]],
    ['no reply', 'send the records of a call together', [{ 'gen_ai.input.messages': messages }]]
  ])('a call with %s is rejected', async (_what, advice, members) => {
    const records = members.map((each) => aLogRecord(details, each))
    const { answer, decisions, counted } = await sendLogs(...records, ...records)
    const rejectedName = encoding === 'json' ? 'rejectedLogRecords' : 'rejectedSpans'
    expect(answer.partialSuccess?.[rejectedName]).toBe('2')
    expect(answer.partialSuccess?.errorMessage).toContain(advice)
    expect([decisions, counted['rejected']]).toEqual([[], 2])
  })

  test('messages whose content was not captured are rejected', async () => {
    const { answer, counted } = await sendLogs(
      aLogRecord('gen_ai.user.message', { 'gen_ai.system': 'openai' }),
      aLogRecord('gen_ai.choice', {}, bodyOf({ index: 0, message: { role: 'assistant' } }))
    )
    expect(answer.partialSuccess?.errorMessage).toContain('the content was not captured')
    expect(counted['rejected']).toBe(2)
  })

  test('a failed call has an empty output and its error', async () => {
    const { decisions } = await sendLogs(
      aLogRecord(details, { 'gen_ai.input.messages': messages, 'error.type': 'timeout' })
    )
    expect(decisions[0]?.output).toBe('')
    expect(JSON.parse(decisions[0]?.metadata ?? '')).toMatchObject({ error: 'timeout' })
  })

  test('a record without ids is rejected if it has content, and otherwise ignored', async () => {
    const ids = { traceId: '', spanId: '' }
    const { answer, counted } = await sendLogs(
      aLogRecord(details, { 'gen_ai.output.messages': reply }, ids),
      aLogRecord('', {}, { ...ids, body: { stringValue: 'started' } }),
      aLogRecord('app.started', {})
    )
    expect(answer.partialSuccess?.errorMessage).toContain('trace_id must have 16 bytes')
    expect(counted).toEqual({ queued: 0, scored: 0, rejected: 1, ignored: 2 })
  })

  test('a result of an evaluation becomes a score of the decision of its span', async () => {
    const result = {
      'gen_ai.evaluation.name': 'relevance',
      'gen_ai.evaluation.score.value': 0.75,
      'gen_ai.evaluation.score.label': 'good',
      'gen_ai.evaluation.explanation': 'It names the policy.'
    }
    const event = 'gen_ai.evaluation.result'
    const failed = aLogRecord(event, { 'gen_ai.evaluation.name': 'x', 'error.type': 'timeout' })
    const record = aLogRecord(event, result)
    const { scores, counted } = await sendLogs(
      record,
      record,
      aLogRecord(event, result, { timeUnixNano: '1764000002000000000' }),
      aLogRecord(event, { ...result, 'gen_ai.evaluation.score.value': 0.5 }),
      failed
    )
    expect(scores[0]?.body).toMatchObject({
      decision_id: decisionIdOf(`${traceId}:${spanId}`),
      name: 'relevance',
      value: 0.75,
      label: 'good',
      reason: 'It names the policy.'
    })
    const ids = scores.map(({ body }) => body.id)
    expect([ids[0] === ids[1], new Set(ids).size]).toEqual([true, 3])
    expect(counted).toEqual({ queued: 0, scored: 4, rejected: 0, ignored: 1 })
  })
})
