/** Writes a response with its own headers and the headers that every response has. */
import type { ServerResponse } from 'node:http'
import manifest from '../../package.json' with { type: 'json' }
import type { Reply } from '../call.ts'
import type { UnreadResponses } from './unread-responses.ts'

/**
 * Content-Security-Policy of JSON responses. The other headers that helmet sets only matter for
 * pages. The documentation page has its own policy (`docs.ts`), and HSTS is set where TLS is
 * terminated.
 */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'"
/**
 * Statuses without a body or Content-Length. The Content-Length of a 304 would describe the body of
 * the corresponding 200.
 */
const withoutBody = new Set([204, 304])

export interface WriteOptions {
  readonly requestId: string
  /** Whether the connection is closed after the response. */
  readonly isLast: boolean
  /** Headers in addition to those of the reply. */
  readonly more?: Readonly<Record<string, string>>
}

export type WriteReply = (response: ServerResponse, reply: Reply, writing: WriteOptions) => void

/**
 * Creates a function that writes responses. It closes the connection if the caller has not read its
 * response after `timeoutMs`, or earlier if too many bytes are unread.
 */
export function createWriteReply(timeoutMs: number, unread: UnreadResponses): WriteReply {
  function watch(response: ServerResponse, isShared: boolean): void {
    const { socket } = response
    if (socket === null) {
      // The caller is still reading earlier responses. The timeout begins when this response can be
      // written.
      response.once('socket', () => watch(response, isShared))
      return
    }
    if (!isShared) unread.hold(response)
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    response.on('close', () => clearTimeout(timer))
  }

  return function writeReply(response, reply, writing) {
    if (response.destroyed) return
    response.writeHead(reply.status, headersOf(reply, writing))
    response.end(reply.bytes ?? reply.body)
    // Watches only responses that the kernel has not accepted completely, so most responses cost
    // nothing here.
    if (response.writableLength > 0) watch(response, reply.isShared === true)
  }
}

/** Returns a flat list instead of an object, because node:http iterates over it directly. */
export function headersOf(
  { status, headers, body, bytes, stream }: Reply,
  writing: WriteOptions
): string[] {
  const list = ['x-request-id', writing.requestId, 'x-sluice-version', manifest.version]
  list.push('x-content-type-options', 'nosniff')
  for (const name in headers) list.push(name, headers[name] as string)
  for (const name in writing.more) list.push(name, writing.more[name] as string)
  if (headers['cache-control'] === undefined) list.push('cache-control', 'no-store')
  if (headers['content-security-policy'] === undefined) {
    list.push('content-security-policy', contentSecurityPolicy)
  }
  const isOfKnownLength = stream === undefined && !withoutBody.has(status)
  if (isOfKnownLength) {
    list.push('content-length', String(bytes?.byteLength ?? Buffer.byteLength(body)))
  }
  if (writing.isLast) list.push('connection', 'close')
  return list
}
