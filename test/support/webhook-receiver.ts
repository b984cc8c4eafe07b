/** Receives webhooks, records them and returns configurable responses. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onEnd } from './cleanup.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends the response, or leaves the request without a response. */
export type Respond = (response: ServerResponse, received: Received) => void

export interface WebhookReceiver {
  readonly url: string
  /** Returns the requests received at a path. */
  at(path: string): readonly Received[]
  /** Sets the response to requests at a path. Default: 204. */
  answer(path: string, respond: Respond): void
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const answers = new Map<string, Respond>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    void text(request).then((body) => {
      const one = { path, headers: request.headers, body }
      received.push(one)
      const respond = answers.get(path) ?? ((to) => to.writeHead(204).end())
      respond(response, one)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    at: (path) => received.filter((one) => one.path === path),
    answer: (path, respond) => void answers.set(path, respond)
  }
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Respond {
  return (response) => void response.writeHead(code, headers).end()
}
