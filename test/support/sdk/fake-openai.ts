/** Fakes the OpenAI API with a fixed response. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface FakeOpenAI {
  readonly url: string
  close(): void
}

const head = { id: 'c1', object: 'chat.completion', created: 0, model: 'm-1' }
const content = 'It arrives today.'
const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 }
const message = { role: 'assistant', content }
const whole = { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
const chunks = [
  { ...head, choices: [{ index: 0, delta: message, finish_reason: null }] },
  { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
]

export async function startFakeOpenAI(): Promise<FakeOpenAI> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if ((body as { stream?: boolean }).stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(whole))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      response.end(events.map((event) => `data: ${event}\n\n`).join(''))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
