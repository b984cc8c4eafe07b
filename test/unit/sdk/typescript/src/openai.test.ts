/** Tests the wrapped OpenAI client against a fake server. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { wrapOpenAI } from '../../../../../sdk/typescript/src/openai.ts'
import { recorded } from '../../../../support/sdk/recorded.ts'

const toolCalls = [
  { index: 0, id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"id"' } },
  { index: 0, function: { arguments: ':7}' } }
]
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
const completion = {
  id: 'c1',
  model: 'small-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  usage
}
const deltas = [
  { content: 'Let me ' },
  { content: 'see.' },
  ...toolCalls.map((part) => ({ tool_calls: [part] }))
]
const chunks = [
  ...deltas.map((delta) => ({ id: 'c2', choices: [{ index: 0, delta, finish_reason: null }] })),
  { id: 'c2', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: null },
  { id: 'c2', model: 'small-1', choices: [], usage }
]
const message = { type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] }
const call = { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"id":7}' }
const response = {
  id: 'r1',
  object: 'response',
  model: 'small-1',
  status: 'completed',
  output: [{ type: 'reasoning' }, message, call],
  usage: { input_tokens: 5, output_tokens: 2 }
}
const events = [
  { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
  { type: 'response.output_text.delta', delta: 'Ye' },
  { type: 'response.output_item.done', item: call },
  { type: 'response.completed', response }
]
const called = [{ id: 'call_1', name: 'find', arguments: '{"id":7}' }]

function answerTo(path: string, stream: boolean): [number, unknown[] | object] {
  if (path.endsWith('/chat/completions')) return [200, stream ? chunks : completion]
  if (path.endsWith('/responses')) return [200, stream ? events : response]
  return [200, { object: 'list', data: [{ id: 'small-1' }] }]
}

const server = createServer((request, reply) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>
    if (asked['model'] === 'none') {
      reply.writeHead(400, { 'content-type': 'application/json' })
      reply.end('{"error":{"message":"no such model"}}')
      return
    }
    const [status, body] = answerTo(request.url ?? '', asked['stream'] === true)
    reply.writeHead(status, {
      'content-type': Array.isArray(body) ? 'text/event-stream' : 'application/json'
    })
    const lines = Array.isArray(body) ? body.map((part) => `data: ${JSON.stringify(part)}\n\n`) : []
    reply.end(Array.isArray(body) ? `${lines.join('')}data: [DONE]\n\n` : JSON.stringify(body))
  })
})
let client: OpenAI

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const baseURL = `http://127.0.0.1:${port}/v1`
  client = new OpenAI({ apiKey: 'sk-test', baseURL, maxRetries: 0 })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const messages = [{ role: 'user' as const, content: 'May I?' }]
const body = { model: 'small', messages }
const metadata = { model: 'small-1', provider: 'openai', latency_ms: 0 }
const tokens = { inputTokens: 5, outputTokens: 2 }
const chat = { ...metadata, response_id: 'c1', finish_reason: 'stop' }

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen = []
  for await (const chunk of stream) seen.push(chunk)
  return seen
}

test('logs the text of a completion with model and tokens', async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client, { agentId: 'desk' })
  const answer = await openai.chat.completions.create(body)
  expect(answer.choices[0]?.message.content).toBe('Yes.')
  const expected = { agentId: 'desk', input: messages, output: 'Yes.', ...tokens, metadata: chat }
  expect(decisions).toEqual([expected])
})

test('passes a completion stream through and joins its tool calls', async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client)
  const stream = await openai.chat.completions.create({ ...body, stream: true })
  expect(await read(stream)).toEqual(chunks)
  const output = { content: 'Let me see.', tool_calls: called }
  const finish = { response_id: 'c2', finish_reason: 'tool_calls' }
  expect(decisions).toEqual([
    { input: messages, output, ...tokens, metadata: { ...metadata, ...finish } }
  ])
})

test("keeps the client's other ways of reading a response", async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client)
  expect(openai).toBeInstanceOf(OpenAI)
  const { data, response: raw } = await openai.chat.completions.create(body).withResponse()
  expect([data.id, raw.status]).toEqual(['c1', 200])
  const stream = await openai.chat.completions.create({ ...body, stream: true })
  const [left, right] = stream.tee()
  expect(await Promise.all([read(left), read(right)])).toEqual([chunks, chunks])
  await openai.withOptions({ timeout: 1000 }).chat.completions.parse(body)
  expect(decisions.map(({ metadata }) => metadata)).toMatchObject([
    { response_id: 'c1' },
    { response_id: 'c2' },
    { response_id: 'c1' }
  ])
  expect((await openai.models.list()).data).toEqual([{ id: 'small-1' }])
  expect(decisions).toHaveLength(3)
})

test('logs the text and tool calls of a response', async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client)
  await openai.responses.create({ model: 'small', input: 'May I?' })
  await openai.responses.create({ model: 'small', input: 'May I?', instructions: 'Be brief.' })
  const output = { content: 'Yes.', tool_calls: called }
  const finish = { response_id: 'r1', finish_reason: 'completed' }
  const expected = { output, ...tokens, metadata: { ...metadata, ...finish } }
  expect(decisions).toEqual([
    { input: 'May I?', ...expected },
    { input: { instructions: 'Be brief.', input: 'May I?' }, ...expected }
  ])
})

test('logs a streamed response by its last event, or by the events read', async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client)
  const asked = { model: 'small', input: 'May I?', stream: true } as const
  expect(await read(await openai.responses.create(asked))).toMatchObject(events)
  for await (const { type } of await openai.responses.create(asked)) {
    if (type === 'response.output_item.done') break
  }
  expect(decisions).toMatchObject([
    { output: { content: 'Yes.', tool_calls: called }, ...tokens },
    { output: { content: 'Ye', tool_calls: called }, metadata: { finish_reason: 'in_progress' } }
  ])
})

test('rethrows and logs an error of the service', async () => {
  const { startTrace, decisions } = recorded()
  const openai = wrapOpenAI({ startTrace }, client)
  const refused = openai.chat.completions.create({ ...body, model: 'none' })
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError)
  expect(decisions).toMatchObject([
    {
      input: messages,
      output: '',
      metadata: { model: 'none', error: { message: /no such model/ } }
    }
  ])
})

test('logs several choices as an array, and wraps clients with fewer members', async () => {
  const { startTrace, decisions } = recorded()
  const choices = ['A', 'B'].map((content, index) => ({ index, message: { content } }))
  const create = async (): Promise<object> => ({ choices })
  const openai = wrapOpenAI({ startTrace }, { chat: Object.freeze({ completions: { create } }) })
  await openai.chat.completions.create()
  const other = wrapOpenAI({ startTrace }, { chat: { completions: { create } } })
  await other.chat.completions.create()
  expect(decisions).toMatchObject([{ output: ['A', 'B'] }])
})
