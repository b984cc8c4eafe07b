/** Responds to requests that node:http cannot read completely, and closes their connections. */
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../../core/problem.ts'
import { problemReply } from '../reply/problem-reply.ts'

/** A socket with the response that node:http is writing to it. */
type HttpSocket = Duplex & { readonly _httpMessage?: ServerResponse | null }

const refused = new WeakSet<Duplex>()

/**
 * Handles a parse error or a timeout on a connection. Pending requests are answered before the
 * connection is closed. Invalid input after a pending request that is complete gets no response,
 * because the caller would mistake an error response for the response to that request. Other
 * invalid input gets an error response, unless a response to the same request has already begun.
 */
export function refuseSocket(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (refused.has(socket)) return
  refused.add(socket)
  const end = currentOf(socket) === null ? answerSocket : endAfterAnswers
  inSlices(() => end(socket, problemOf(error)))
}

/**
 * Rejects a request before its body is read completely. The connection is closed after the
 * response.
 */
export function refuseBody(request: IncomingMessage, problem: Problem): void {
  const { socket } = request
  if (refused.has(socket)) return
  refused.add(socket)
  inSlices(() => endWith(request, problem))
}

const sliceMs = 1
const waiting: (() => void)[] = []

/** Runs `work` in time slices, because thousands of callers may disconnect simultaneously. */
function inSlices(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(runSlice)
}

function runSlice(): void {
  const endsAt = performance.now() + sliceMs
  let done = 0
  while (done < waiting.length && performance.now() < endsAt) waiting[done++]?.()
  waiting.splice(0, done)
  if (waiting.length > 0) setImmediate(runSlice)
}

/**
 * Rejects a CONNECT request. Waits until earlier responses are sent, because the caller would
 * otherwise take the rejection for one of them.
 */
export function refuseTunnel(socket: HttpSocket): void {
  // node:http has removed its own error listeners.
  socket.on('error', () => socket.destroy())
  const current = currentOf(socket)
  if (current === null) answerSocket(socket, noTunnel())
  else current.once('close', () => refuseTunnel(socket))
}

/** Writes to the socket itself, because node:http provides no response object here. */
function answerSocket(socket: Duplex, problem: Problem): void {
  const { status, headers, body } = problemReply(problem, 'none')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Buffer.byteLength(body)}`
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, length]
  socket.on('error', () => socket.destroy())
  socket.end([...head, 'connection: close', '', body].join('\r\n'), () => socket.destroy())
}

/**
 * Waits for the earlier responses, and then answers the incomplete request with the problem. If
 * there is no incomplete request, only closes the connection.
 */
function endAfterAnswers(socket: HttpSocket, problem: Problem): void {
  const current = currentOf(socket)
  if (current === null) socket.end(() => socket.destroy())
  else if (!current.headersSent && !current.req.complete) answerSocket(socket, problem)
  else current.once('close', () => endAfterAnswers(socket, problem))
}

/**
 * Waits for the earlier responses, and then answers the request with the problem. If its response
 * has already begun, closes the connection instead.
 */
function endWith(request: IncomingMessage, problem: Problem): void {
  const { socket } = request
  const current = currentOf(socket)
  if (current !== null && current.req !== request) {
    current.once('close', () => endWith(request, problem))
  } else if (current === null || current.headersSent) socket.destroy()
  else answerSocket(socket, problem)
}

function currentOf(socket: HttpSocket): ServerResponse | null {
  return socket._httpMessage ?? null
}

function noTunnel(): Problem {
  const detail = 'CONNECT is not supported.'
  return new Problem('method_not_allowed', { detail, headers: { allow: 'GET, POST' } })
}

function problemOf(error: NodeJS.ErrnoException): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('body_timeout', { detail: 'The request did not arrive in time.' })
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headers_too_large', {
      detail: 'The request line and headers are too long.'
    })
  }
  const detail = `The request is not valid HTTP/1.1 (${error.code ?? 'unknown'}).`
  return new Problem('malformed_request', { detail })
}
