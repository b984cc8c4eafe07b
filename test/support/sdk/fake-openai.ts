/** Fakes the OpenAI API: calls the first tool of a request once, and then gives a fixed answer. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

export interface FakeOpenAI {
  readonly url: string
  /** The tokens of each response that was not streamed. */
  readonly usages: Usage[]
  close(): void
}

const head = { id: 'c1', object: 'chat.completion', created: 0, model: 'm-1' }
const content = 'It arrives today.'
const message = { role: 'assistant', content }
const answer = {
  ...head,
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 }
}
/** The same answer in the Responses API. */
const responsesAnswer = {
  id: 'r1',
  object: 'response',
  model: 'm-1',
  output: [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: content }] }
  ],
  usage: { input_tokens: 5, output_tokens: 4, total_tokens: 9 }
}
const chunks = [
  { ...head, choices: [{ index: 0, delta: message, finish_reason: null }] },
  { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
]

interface ChatRequest {
  readonly stream?: boolean
  /** Absent in the Responses API. */
  readonly messages?: readonly { readonly role: string }[]
  readonly tools?: readonly [{ readonly function: Tool }]
}

interface Tool {
  readonly name: string
  readonly parameters: { readonly properties: object }
}

/** Returns a call of the tool in which every argument is 17. */
function callOf({ name, parameters }: Tool) {
  const args = Object.fromEntries(Object.keys(parameters.properties).map((key) => [key, 17]))
  const call = { name, arguments: JSON.stringify(args) }
  const tool_calls = [{ id: 'call_1', type: 'function', function: call }]
  const asking = { role: 'assistant', content: null, tool_calls }
  return {
    ...head,
    choices: [{ index: 0, message: asking, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 7, completion_tokens: 6, total_tokens: 13 }
  }
}

function answerTo({ messages = [], tools }: ChatRequest) {
  const isCalled = messages.some(({ role }) => role === 'tool')
  return tools === undefined || isCalled ? answer : callOf(tools[0].function)
}

export async function startFakeOpenAI(): Promise<FakeOpenAI> {
  const usages: Usage[] = []
  const server = createServer((request, response) => {
    void json(request).then((value) => {
      const body = value as ChatRequest
      if (body.stream !== true) {
        const whole = answerTo(body)
        usages.push(whole.usage)
        response.writeHead(200, { 'content-type': 'application/json' })
        const isChat = request.url !== '/v1/responses'
        response.end(JSON.stringify(isChat ? whole : responsesAnswer))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      response.end(events.map((event) => `data: ${event}\n\n`).join(''))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    usages,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
