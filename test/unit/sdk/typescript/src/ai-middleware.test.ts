/** Tests the AI SDK middleware with models of specifications v2 and v4. */
import { expect, test } from '@jest/globals'
import { sluiceMiddleware } from '../../../../../sdk/typescript/src/ai-middleware.ts'
import { recorded } from '../../../../support/sdk/recorded.ts'

const model = { modelId: 'small', provider: 'example' }
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'May I?' }] }]
const params = { prompt }
const toolCall = { type: 'tool-call', toolCallId: 't1', toolName: 'find', input: '{"id":7}' }
const v4 = {
  content: [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'Yes.' }, toolCall],
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  usage: { inputTokens: { total: 5 }, outputTokens: { total: 2 } },
  response: { id: 'r1', modelId: 'small-1' },
  warnings: []
}
const v2 = { ...v4, finishReason: 'tool-calls', usage: { inputTokens: 5, outputTokens: 2 } }
const finish = { finish_reason: 'tool-calls', response_id: 'r1', latency_ms: 0 }
const expected = {
  input: prompt,
  output: { content: 'Yes.', tool_calls: [{ id: 't1', name: 'find', arguments: '{"id":7}' }] },
  inputTokens: 5,
  outputTokens: 2,
  metadata: { model: 'small-1', provider: 'example', ...finish }
}
const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r1', modelId: 'small-1' },
  { type: 'text-delta', id: '0', delta: 'Ye' },
  { type: 'text-delta', id: '0', delta: 's.' },
  toolCall,
  { type: 'finish', finishReason: v4.finishReason, usage: v4.usage }
]

function fail(): never {
  throw new Error('no model')
}

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen = []
  for await (const part of stream) seen.push(part)
  return seen
}

test.each([
  ['v2', v2],
  ['v4', v4]
])('logs a response of a %s model as a decision', async (_, answer) => {
  const { startTrace, decisions } = recorded()
  const { wrapGenerate } = sluiceMiddleware({ startTrace })
  const doGenerate = async (): Promise<object> => answer
  expect(await wrapGenerate({ doGenerate, doStream: fail, params, model })).toBe(answer)
  expect(decisions).toEqual([expected])
})

test('passes a stream through and logs it when it ends', async () => {
  const { startTrace, decisions } = recorded()
  const { wrapStream } = sluiceMiddleware({ startTrace }, { agentId: 'desk' })
  const doStream = async () => ({ stream: ReadableStream.from(parts), request: { body: 1 } })
  const answer = await wrapStream({ doStream, doGenerate: fail, params, model })
  expect(answer.request).toEqual({ body: 1 })
  expect(decisions).toEqual([])
  expect(await read(answer.stream)).toEqual(parts)
  expect(decisions).toEqual([{ ...expected, agentId: 'desk' }])
})

test('logs the error of a failing stream', async () => {
  const { startTrace, decisions } = recorded()
  const { wrapStream } = sluiceMiddleware({ startTrace })
  const broken = [...parts.slice(0, 3), { type: 'error', error: new Error('overloaded') }]
  const doStream = async () => ({ stream: ReadableStream.from(broken) })
  await read((await wrapStream({ doStream, doGenerate: fail, params, model })).stream)
  const error = { name: 'Error', message: 'overloaded' }
  expect(decisions).toMatchObject([{ output: 'Ye', metadata: { error } }])
})

test('rethrows and logs the error of a model', async () => {
  const { startTrace, decisions } = recorded()
  const { wrapGenerate, wrapStream } = sluiceMiddleware({ startTrace })
  const wrapped = { doGenerate: async () => fail(), doStream: async () => fail(), params, model }
  await expect(wrapGenerate(wrapped)).rejects.toThrow('no model')
  await expect(wrapStream(wrapped)).rejects.toThrow('no model')
  const error = { name: 'Error', message: 'no model' }
  const failed = { input: prompt, output: '', metadata: { model: 'small', error } }
  expect(decisions).toMatchObject([failed, failed])
})
