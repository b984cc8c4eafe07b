/** The HTTP server: its time limits, and its answer to what is no HTTP at all. */
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../core/problem.ts'
import type { ProblemCode } from '../core/problem.ts'
import { isDeclaredTooLarge } from './body.ts'
import { problemReply } from './problem-reply.ts'

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
/** Above a load balancer's idle time (60 s), or it would send into connections we just closed. */
const keepAliveTimeoutMs = 75_000
const checkIntervalMs = 2000
const headerBytesMax = 16 * 1024
const connectionsMax = 10_000
const requestsPerConnectionMax = 100_000

export function createGatewayServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      maxHeaderSize: headerBytesMax,
      noDelay: true
    },
    listener
  )
  server.maxConnections = connectionsMax
  // A worker that is full would hand the connection back to its primary, again and again. The types
  // do not know this property yet.
  Object.assign(server, { dropMaxConnection: true })
  server.maxRequestsPerSocket = requestsPerConnectionMax
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A caller that asks first is told before it sends what would be refused for its size.
    if (!isDeclaredTooLarge(request)) response.writeContinue()
    listener(request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket))
  return server
}

/** Request-line garbage, smuggling shapes and stalled bodies never reach a route; they end here. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOf(error)
  const { status, headers, body } = problemReply(problem, 'none')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [
    `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}`,
    ...lines
  ]
  const length = `content-length: ${Buffer.byteLength(body)}`
  socket.end([...head, length, 'connection: close', '', body].join('\r\n'))
}

function problemOf(error: NodeJS.ErrnoException): Problem {
  const [code, detail]: [ProblemCode, string] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['body_timeout', 'The request did not arrive in time.']
      : ['malformed_request', `The request is not valid HTTP/1.1 (${error.code ?? 'unknown'}).`]
  return new Problem(code, { detail })
}
