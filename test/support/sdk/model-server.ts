/** Runs a server with the OpenAI API and a fixed response, for documentation examples. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onEnd } from '../cleanup.ts'

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'It arrives today.' },
      finish_reason: 'stop'
    }
  ],
  usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
}

/** Starts the server and resolves with its base URL. */
export async function startModelServer(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(completion))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
