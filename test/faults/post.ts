/** Sends a POST request, and distinguishes a refused connection from a lost response. */
import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

export interface PostResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * `not_connected` means that no request was sent. `broken` means that the outcome of the request is
 * unknown.
 */
type PostResult = PostResponse | 'not_connected' | 'broken'

interface PostRequest {
  readonly url: string
  readonly apiKey: string
  readonly body: string
}

/**
 * Timeout in milliseconds. It exceeds the produce deadline plus the time to read the largest body.
 */
const timeoutMs = 60_000

/** Creates an agent with one connection per gateway, for a sequential client. */
export function createConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

/** Creates an agent that uses its connections in turn, so that none is idle for long. */
export function createConnections(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' })
}

export async function post(agent: Agent, { url, apiKey, body }: PostRequest): Promise<PostResult> {
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

async function read(response: IncomingMessage): Promise<PostResult> {
  try {
    const body = await text(response)
    return { status: response.statusCode ?? 0, headers: response.headers, body }
  } catch {
    return 'broken'
  }
}
