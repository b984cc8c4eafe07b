/** Reads a request's body whole, inflated, and never further than its limits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../../core/problem.ts'
import { bodyBytesMax } from './body-budget.ts'
import type { BodyLease } from './body-budget.ts'
import { createInflater, encodings, inflaterBytes } from './inflate.ts'
import type { Inflater } from './inflate.ts'
import type { BodyLimits } from '../call.ts'
import { overloaded } from '../admission/overloaded.ts'

export interface BodySource {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What is read counts against it until the request is answered. */
  readonly lease: BodyLease
}

/**
 * @throws {Problem} 413 past `bytesMax` inflated bytes, 415 or 400 for the encoding, 503 when this
 * process holds too many bytes of bodies already, or too many of the organization.
 */
export function readBody(source: BodySource, limits: BodyLimits = {}): Promise<Buffer> {
  const { bytesMax = bodyBytesMax, organizationId } = limits
  const { headers, destroyed } = source.request
  // Who hung up while his key was looked up: there will be no event any more to tell.
  if (destroyed) return Promise.reject(cutOff())
  if (Number(headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax))
  if (organizationId !== undefined) source.lease.countFor(organizationId)
  const encoding = encodingOf(source.request)
  if (encoding === null) {
    invite(source)
    return collectPlain(source, bytesMax)
  }
  const inflater = createInflater(encoding)
  if (inflater === null) return Promise.reject(unsupported(encoding))
  invite(source)
  return collectInflated(source, { inflater, encoding, bytesMax })
}

/** Null for a body that comes as it is. */
function encodingOf({ headers }: IncomingMessage): string | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  return encoding === '' || encoding === 'identity' ? null : encoding
}

/** Who asks before sending is invited only now: a caller without a key never gets this far. */
function invite({ request, response }: BodySource): void {
  if (request.headers.expect !== undefined) response.writeContinue()
}

/** Plain event listeners: an async iterator over a body of one chunk costs more than the body. */
function collectPlain({ request, lease }: BodySource, bytesMax: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []

  request.on('data', (chunk: Buffer) => {
    lease.raw += chunk.length
    lease.inflated = lease.raw
    if (lease.raw > bytesMax) stop(tooLarge(bytesMax))
    else if (lease.take(chunk.length)) chunks.push(chunk)
    else stop(tooManyBytes())
  })
  request.on('end', () => resolve(joined(chunks)))
  request.on('error', () => stop(cutOff()))
  request.on('close', () => {
    if (!request.complete) stop(cutOff())
  })

  /** Settling twice is harmless: the first outcome stands. */
  function stop(problem: Problem): void {
    reject(problem)
    chunks.length = 0
    request.removeAllListeners('data')
  }
  return promise
}

interface Inflating {
  readonly inflater: Inflater
  readonly encoding: string
  readonly bytesMax: number
}

function collectInflated(
  { request, lease }: BodySource,
  { inflater, encoding, bytesMax }: Inflating
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []

  request.on('data', (chunk: Buffer) => {
    lease.raw += chunk.length
    if (lease.raw > bytesMax) stop(tooLarge(bytesMax))
  })
  inflater.on('data', (chunk: Buffer) => {
    lease.inflated += chunk.length
    if (lease.inflated > bytesMax) stop(tooLarge(bytesMax))
    // Twice: what came out may stand in the window of the inflater as well.
    else if (lease.take(2 * chunk.length)) chunks.push(chunk)
    else stop(tooManyBytes())
  })
  inflater.on('end', () => {
    // It ends early, and without an error, when something follows what it inflates: junk, or a
    // second frame of zstd, which Node does not read. To cut it off would change what was sent.
    const isAllUsed = request.complete && inflater.bytesWritten === lease.raw
    if (isAllUsed) resolve(joined(chunks))
    else stop(garbled(encoding))
  })
  inflater.on('error', () => stop(garbled(encoding)))
  request.on('error', () => stop(cutOff()))
  // A request also closes when all of it has come, which may be before the last of it is inflated.
  request.on('close', () => {
    if (!request.complete) stop(cutOff())
  })
  if (lease.take(inflaterBytes)) request.pipe(inflater)
  else stop(tooManyBytes())

  function stop(problem: Problem): void {
    reject(problem)
    chunks.length = 0
    request.unpipe()
    request.removeAllListeners('data')
    inflater.removeAllListeners('data')
    inflater.destroy()
  }
  return promise
}

/** Takes the parts, or they would stand beside the whole until the request is answered. */
function joined(chunks: Buffer[]): Buffer {
  const all = chunks.splice(0)
  return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all)
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('payload_too_large', {
    detail: `The body has more than ${bytesMax} bytes; that is all one request may carry.`,
    members: { pointer: '', limit_bytes: bytesMax }
  })
}

function tooManyBytes(): Problem {
  return overloaded(
    'This instance holds as many bytes of bodies as it may, or as many of your organization. ' +
      'Send it again in a moment.'
  )
}

function unsupported(encoding: string): Problem {
  const known = encodings.join(', ')
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
