/** Writes an answer: the headers that every answer has, and its own. */
import type { ServerResponse } from 'node:http'
import type { Reply } from '../call.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/**
 * Of the headers that browsers know, those that mean something for JSON; what helmet adds beyond
 * them is about pages. A page brings a policy of its own (`docs.ts`), and HSTS is for whoever ends
 * TLS.
 */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'"
/** No content, and not modified: the length would be that of something else. */
const withoutBody = new Set([204, 304])

export interface Writing {
  readonly requestId: string
  /** The connection is closed after it. */
  readonly isLast: boolean
  /** Beside those of the reply. */
  readonly more?: Readonly<Record<string, string>>
}

export type WriteReply = (response: ServerResponse, reply: Reply, writing: Writing) => void

/** Who has not read his answer after `timeoutMs` is cut, and earlier when too much is unread. */
export function createWriteReply(timeoutMs: number, unread: UnreadAnswers): WriteReply {
  function watch(response: ServerResponse): void {
    const { socket } = response
    if (socket === null) {
      // Answers to requests before it are still to be read: its time begins when it is its turn.
      response.once('socket', () => watch(response))
      return
    }
    unread.hold(response)
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    response.on('close', () => clearTimeout(timer))
  }

  return function writeReply(response, reply, writing) {
    if (response.destroyed) return
    response.writeHead(reply.status, headersOf(reply, writing))
    response.end(reply.body)
    // Only an answer that the kernel did not take whole is watched: most cost nothing here.
    if (response.writableLength > 0) watch(response)
  }
}

/** One flat list and no object: node:http walks it as it is. */
export function headersOf({ status, headers, body, stream }: Reply, writing: Writing): string[] {
  const list = ['x-request-id', writing.requestId]
  list.push('x-content-type-options', 'nosniff', 'cache-control', 'no-store')
  for (const name in headers) list.push(name, headers[name] as string)
  for (const name in writing.more) list.push(name, writing.more[name] as string)
  if (headers['content-security-policy'] === undefined) {
    list.push('content-security-policy', contentSecurityPolicy)
  }
  const isOfKnownLength = stream === undefined && !withoutBody.has(status)
  if (isOfKnownLength) list.push('content-length', String(Buffer.byteLength(body)))
  if (writing.isLast) list.push('connection', 'close')
  return list
}
