/** Answers to what node:http could not read as a request: one, and the connection is closed. */
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../../core/problem.ts'
import { problemReply } from '../reply/problem-reply.ts'

/** A socket as node:http keeps it: with the answer that is under way on it. */
type HttpSocket = Duplex & { readonly _httpMessage?: ServerResponse | null }

const refused = new WeakSet<Duplex>()

/**
 * Whoever waits for an answer on this connection gets it before it is closed; the garbage behind
 * his request then gets none, which he would take for his own. Garbage inside of a request is the
 * answer to that request.
 */
export function refuseSocket(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (refused.has(socket)) return
  refused.add(socket)
  const end = currentOf(socket) === null ? answerSocket : endAfterAnswers
  inTurns(() => end(socket, problemOf(error)))
}

/** A request whose body is not read to its end; the connection is closed with its answer. */
export function refuseBody(request: IncomingMessage, problem: Problem): void {
  const { socket } = request
  if (refused.has(socket)) return
  refused.add(socket)
  inTurns(() => endWith(request, problem))
}

const turnMs = 1
const waiting: (() => void)[] = []

/** Thousands of callers may hang up at once: their sockets are closed a few in each turn. */
function inTurns(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(workOneTurn)
}

function workOneTurn(): void {
  const endsAt = performance.now() + turnMs
  let done = 0
  while (done < waiting.length && performance.now() < endsAt) waiting[done++]?.()
  waiting.splice(0, done)
  if (waiting.length > 0) setImmediate(workOneTurn)
}

/** CONNECT: the answers before it come first, or the caller would take this one for one of them. */
export function refuseTunnel(socket: HttpSocket): void {
  // Nobody else listens any more.
  socket.on('error', () => socket.destroy())
  const current = currentOf(socket)
  if (current === null) answerSocket(socket, noTunnel())
  else current.once('close', () => refuseTunnel(socket))
}

/** The one answer on a socket that has no request any more. */
function answerSocket(socket: Duplex, problem: Problem): void {
  const { status, headers, body } = problemReply(problem, 'none')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Buffer.byteLength(body)}`
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, length]
  socket.on('error', () => socket.destroy())
  socket.end([...head, 'connection: close', '', body].join('\r\n'), () => socket.destroy())
}

/** A request that will never be complete gets the problem as its answer, when it is its turn. */
function endAfterAnswers(socket: HttpSocket, problem: Problem): void {
  const current = currentOf(socket)
  if (current === null) socket.end(() => socket.destroy())
  else if (!current.headersSent && !current.req.complete) answerSocket(socket, problem)
  else current.once('close', () => endAfterAnswers(socket, problem))
}

/** When it is its turn, unless it has an answer already. */
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
  const detail = 'There are no tunnels here.'
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
