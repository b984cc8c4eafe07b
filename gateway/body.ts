/** Reads a request's body whole, inflated, and never further than its limit. */
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { Problem } from '../core/problem.ts'

export const bodyBytesMax = 10 * 1024 * 1024
/** What is read and thrown away beside an early answer. */
const drainBytesMax = 64 * 1024 * 1024
const drainMs = 5000

const inflaters: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress
}

/** Whether the request says itself that its body is larger than any may be. */
export function isDeclaredTooLarge(request: IncomingMessage, bytesMax = bodyBytesMax): boolean {
  return Number(request.headers['content-length'] ?? 0) > bytesMax
}

/** @throws {Problem} 413 past `bodyBytesMax` inflated bytes, 415 or 400 for the encoding. */
export function readBody(request: IncomingMessage, bytesMax = bodyBytesMax): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (isDeclaredTooLarge(request, bytesMax)) return Promise.reject(tooLarge(bytesMax))
  if (encoding === 'identity' || encoding === '')
    return collect({ request, source: request, bytesMax })
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (inflater === undefined) return Promise.reject(unsupported(encoding))
  return collect({ request, source: request.pipe(inflater()), bytesMax, encoding })
}

interface Collecting {
  readonly request: IncomingMessage
  /** The request itself, or what inflates it. */
  readonly source: IncomingMessage | Transform
  readonly bytesMax: number
  readonly encoding?: string
}

/** Plain event listeners: an async iterator over a body of one chunk costs more than the body. */
function collect({ request, source, bytesMax, encoding }: Collecting): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0

  source.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= bytesMax) chunks.push(chunk)
    else stop(tooLarge(bytesMax))
  })
  source.on('end', () =>
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  )
  source.on('error', () => stop(encoding === undefined ? cutOff() : garbled(encoding)))
  // A request also closes when all of it has come, which may be before the last of it is inflated.
  request.on('close', () => {
    if (!request.complete) stop(cutOff())
  })

  /** Settling twice is harmless: the first outcome stands. */
  function stop(problem: Problem): void {
    reject(problem)
    chunks.length = 0
    source.removeAllListeners('data')
    if (source === request) return
    request.unpipe()
    source.destroy()
  }
  return promise
}

/**
 * Reads and throws away what is left of a body, so that a caller still sending can read an answer.
 * Resolves with true when there is nothing left, and with false when it was too much or too slow.
 */
export function drain(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return Promise.resolve(true)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let drained = 0
  const timer = setTimeout(() => resolve(false), drainMs)
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > drainBytesMax) resolve(false)
  })
  const { socket } = request
  const end = (): void => resolve(true)
  request.on('end', end)
  request.on('error', end)
  // Once an answer was given only the socket tells that the caller hung up.
  socket.on('close', end)
  request.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('close', end)
  })
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('payload_too_large', {
    detail: `The body has more than ${bytesMax} bytes; that is all one request may carry.`,
    members: { pointer: '', limit_bytes: bytesMax }
  })
}

function unsupported(encoding: string): Problem {
  const known = Object.keys(inflaters).join(', ')
  const sent = JSON.stringify(encoding.slice(0, 40))
  return new Problem('unsupported_media_type', {
    detail: `The Content-Encoding ${sent} is not taken; send ${known}.`,
    headers: { 'accept-encoding': known }
  })
}

function garbled(encoding: string): Problem {
  return new Problem('malformed_encoding', { detail: `The body is not valid ${encoding}.` })
}

function cutOff(): Problem {
  return new Problem('malformed_request', { detail: 'The body ended before it was complete.' })
}
