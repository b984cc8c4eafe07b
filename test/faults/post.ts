/** One POST over a kept connection, which tells "never sent" from "sent and never answered". */
import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** `not_connected` is certain: nothing was sent. After `broken` anything may have happened. */
export type Posted = Answer | 'not_connected' | 'broken'

export interface Letter {
  readonly url: string
  readonly apiKey: string
  readonly body: string
}

/** Longer than any answer may take: the produce deadline and the reading of the largest body. */
const timeoutMs = 60_000

/** One connection for each gateway, as a client that sends one request after the other has. */
export function createConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

/** Some, used in turn, so that none is idle for long while there is traffic. */
export function createConnections(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' })
}

export async function post(agent: Agent, { url, apiKey, body }: Letter): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | 'not_connected' | 'broken'>()
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body)
  }
  const sent = request(url, { method: 'POST', agent, headers, timeout: timeoutMs }, resolve)
  sent.on('timeout', () => sent.destroy())
  sent.on('error', (error: NodeJS.ErrnoException) => {
    resolve(error.code === 'ECONNREFUSED' ? 'not_connected' : 'broken')
  })
  sent.end(body)
  const response = await promise
  return typeof response === 'string' ? response : await read(response)
}

async function read(response: IncomingMessage): Promise<Posted> {
  try {
    const body = await text(response)
    return { status: response.statusCode ?? 0, headers: response.headers, body }
  } catch {
    return 'broken'
  }
}
