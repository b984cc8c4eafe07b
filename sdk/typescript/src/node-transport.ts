/** HTTP transport over node:http, with sockets that never keep the process alive.
 *
 * fetch is not used because its sockets cannot be unref'd: a hanging gateway would keep a finished
 * program from ending.
 */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { HttpResponse, Exchange, Transport } from './platform.ts'

const responseMaxBytes = 4 * 1024 * 1024

export function createNodeTransport(): Transport {
  const agent = new HttpAgent({ keepAlive: true })
  const secureAgent = new HttpsAgent({ keepAlive: true })

  return function exchangeOverNode({ url, headers, body, timeoutMs, signal }: Exchange) {
    const secure = url.startsWith('https:')
    const start = secure ? requestHttps : requestHttp
    return new Promise<HttpResponse>((resolve, reject) => {
      const length = String(Buffer.byteLength(body))
      const request = start(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': length },
        agent: secure ? secureAgent : agent,
        signal
      })
      const timer = setTimeout(() => {
        request.destroy(new Error(`no complete response within ${timeoutMs} ms`))
      }, timeoutMs)
      timer.unref()
      request.on('socket', unrefSocket)
      request.on('error', reject)
      request.on('close', () => {
        clearTimeout(timer)
        reject(new Error('the connection closed before a complete response'))
      })
      request.on('response', (response) => read(request, response, resolve))
      request.end(body)
    })
  }
}

/**
 * Calls `unref` again after connecting: a socket that tries several addresses gets a new handle.
 */
function unrefSocket(socket: Socket): void {
  socket.unref()
  if (socket.connecting) socket.once('connect', () => socket.unref())
}

function read(
  request: ClientRequest,
  response: IncomingMessage,
  resolve: (answer: HttpResponse) => void
): void {
  const { statusCode: status = 0 } = response
  const retryAfter = response.headers['retry-after']
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('error', (error) => request.destroy(error))
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= responseMaxBytes) return
    resolve({ status, retryAfter, body: undefined })
    request.destroy()
  })
  response.on('end', () => {
    if (!response.complete) return
    resolve({ status, retryAfter, body: Buffer.concat(chunks).toString() })
  })
}
