/** Reads and decompresses a request body within its limits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLong, longText } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import { BufferPool } from '../../platform/process/buffer-pool.ts'
import { bodyBytesMax } from './body-budget.ts'
import type { BodyLease } from './body-budget.ts'
import { encodings, decompressorBytes, decompressorOf } from './decompress.ts'
import type { Decompressor } from './decompress.ts'
import type { BodyLimits, WorkShare } from '../call.ts'
import { overloaded } from '../admission/overloaded.ts'

interface BodySource {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Bytes count against this lease until the request is answered. */
  readonly lease: BodyLease
}

interface Body {
  readonly bytes: Buffer
  /** The buffer to give back to the pool; null if the bytes are not from the pool. */
  readonly pooled: Buffer | null
}

/** One pool for all routes, because the buffers are interchangeable. */
const pool = new BufferPool()

/**
 * Reads and decompresses the body and passes it to `use`, which must not keep it, because a later
 * request reuses the buffer.
 * @throws {Problem} 413 if the body exceeds `bytesMax` before or after decompression, 415 for an
 * unknown encoding, 400 if decompression fails, 503 if the process or `sharedBy` holds too many
 * bodies
 */
export async function useBody<T>(
  source: BodySource,
  limits: BodyLimits,
  use: (body: Buffer) => Promise<T>
): Promise<T> {
  const { bytesMax = bodyBytesMax, sharedBy, inShare = atOnce } = limits
  refuseUnread(source.request, bytesMax)
  const decompress = createDecompress(source)
  const received = await collect(source, sharedBy, bytesMax)
  const short =
    decompress === null ? received : await decompress(received.bytes, Math.min(bytesMax, longText))
  if (short !== null && !isLong(short.bytes)) return useAndRelease(short, use)
  if (bytesMax <= longText) throw tooLarge(bytesMax)
  return inShare(async () => {
    // The caller has disconnected and nothing was accepted.
    if (source.response.destroyed) throw cutOff()
    // The first decompression stops at `longText`, because a few bytes can expand to 10 MiB. A
    // longer body is decompressed again here.
    const whole = short ?? (await decompress?.(received.bytes, bytesMax)) ?? null
    if (whole === null) throw tooLarge(bytesMax)
    return useAndRelease(whole, use)
  })
}

/**
 * Gives the buffer back after use. The buffer of a compressed body is not given back, because its
 * decompressor may still read it after an error.
 */
async function useAndRelease<T>(
  { bytes, pooled }: Body,
  use: (body: Buffer) => Promise<T>
): Promise<T> {
  try {
    return await use(bytes)
  } finally {
    if (pooled !== null) pool.give(pooled)
  }
}

const atOnce: WorkShare = (work) => work()

function refuseUnread({ headers, destroyed }: IncomingMessage, bytesMax: number): void {
  // The caller disconnected during authentication, so no further event would report it.
  if (destroyed) throw cutOff()
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
}

/**
 * Sends 100 Continue. Called only after authentication, so that callers with an invalid credential
 * are never asked for a body.
 */
function sendContinue({ request, response }: BodySource): void {
  if (request.headers.expect !== undefined) response.writeContinue()
}

/**
 * Collects the body with event listeners, because an async iterator would cost more than reading a
 * body of one chunk.
 */
function collect(source: BodySource, sharedBy: string | undefined, bytesMax: number) {
  const { request, lease } = source
  const { promise, resolve, reject } = Promise.withResolvers<Body>()
  const chunks: Buffer[] = []
  if (sharedBy !== undefined && !lease.begin(sharedBy, cut)) throw tooManyBodies()
  sendContinue(source)

  request.on('data', (chunk: Buffer) => {
    lease.received += chunk.length
    lease.decompressed = lease.received
    if (lease.received > bytesMax) stop(tooLarge(bytesMax))
    else if (lease.take(chunk.length)) chunks.push(chunk)
    else stop(tooManyBytes())
  })
  request.on('end', () => {
    lease.arrived()
    resolve(joined(chunks))
  })
  request.on('error', () => stop(cutOff()))
  request.on('close', () => {
    if (!request.complete) stop(cutOff())
  })

  /**
   * Rejects the promise and stops collecting. Has no effect on a promise that is already settled.
   */
  function stop(problem: Problem): void {
    reject(problem)
    chunks.length = 0
    request.removeAllListeners('data')
  }

  function cut(): void {
    stop(tooSlow())
    setTimeout(() => request.destroy(), responseMs)
  }
  return promise
}

/** Time in milliseconds allowed for writing the response before the connection is closed. */
const responseMs = 100

/**
 * Returns null if the body is not compressed.
 * @throws {Problem} 415 for an unknown encoding
 */
function createDecompress({ request, lease }: BodySource) {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return null
  const open = decompressorOf(encoding)
  if (open === null) throw unsupported(encoding)
  return (received: Buffer, bytesMax: number) =>
    decompressUpTo(bytesMax, received, { encoding, open, lease })
}

interface Decompression {
  readonly encoding: string
  readonly open: (rawBytes: number) => Decompressor
  readonly lease: BodyLease
}

/**
 * Resolves with null if the decompressed body exceeds `bytesMax`.
 * @throws {Problem} 400 if the body cannot be decompressed, 503 if it does not fit in the budget
 */
function decompressUpTo(
  bytesMax: number,
  received: Buffer,
  { encoding, open, lease }: Decompression
) {
  const { promise, resolve, reject } = Promise.withResolvers<Body | null>()
  if (!lease.take(decompressorBytes)) throw tooManyBytes()
  const decompressor = open(received.length)
  const chunks: Buffer[] = []
  lease.decompressed = 0

  decompressor.on('data', (chunk: Buffer) => {
    lease.decompressed += chunk.length
    if (lease.decompressed > bytesMax) stop(() => resolve(null))
    // Each chunk counts twice, because the window of the decompressor may also hold the output.
    else if (lease.take(2 * chunk.length)) chunks.push(chunk)
    else stop(() => reject(tooManyBytes()))
  })
  decompressor.on('end', () => {
    // The decompressor silently ignores data after the end: junk, or a second zstd frame, which
    // Node does not read. Accepting the body would change what was sent.
    if (decompressor.bytesWritten !== received.length) return reject(malformed(encoding))
    // Releases the memory of the decompressor and its window.
    lease.keep(received.length + lease.decompressed)
    resolve(joined(chunks))
  })
  decompressor.on('error', () => stop(() => reject(malformed(encoding))))
  decompressor.end(received)

  function stop(settle: () => void): void {
    settle()
    chunks.length = 0
    decompressor.removeAllListeners('data')
    decompressor.destroy()
  }
  return promise
}

/**
 * Joins the chunks in a buffer from the pool, and empties the list so that the chunks and the
 * result are not both kept in memory.
 */
function joined(chunks: Buffer[]): Body {
  const all = chunks.splice(0)
  if (all.length === 1) return { bytes: all[0] as Buffer, pooled: null }
  const length = all.reduce((sum, chunk) => sum + chunk.length, 0)
  const pooled = pool.take(length)
  let at = 0
  for (const chunk of all) at += chunk.copy(pooled, at)
  return { bytes: pooled.subarray(0, length), pooled }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('payload_too_large', {
    detail: `The body exceeds the maximum of ${bytesMax} bytes. Shorten it or split the request.`,
    members: { pointer: '', limit_bytes: bytesMax }
  })
}

function tooManyBytes(): Problem {
  return overloaded(
    'The memory limit for request bodies is reached, for this instance or for your ' +
      'organization. Retry shortly.'
  )
}

function tooManyBodies(): Problem {
  return overloaded(
    'Your organization or network is sending too many request bodies at the same time. ' +
      'Retry shortly.'
  )
}

function tooSlow(): Problem {
  return overloaded(
    'The body arrived too slowly while the instance was at its request limit. Retry shortly.'
  )
}

function unsupported(encoding: string): Problem {
  const known = encodings.join(', ')
  const sent = JSON.stringify(encoding.slice(0, 40))
  return new Problem('unsupported_media_type', {
    detail: `The Content-Encoding ${sent} is not supported. Use ${known}.`,
    headers: { 'accept-encoding': known }
  })
}

function malformed(encoding: string): Problem {
  return new Problem('malformed_encoding', { detail: `The body is not valid ${encoding}.` })
}

function cutOff(): Problem {
  return new Problem('malformed_request', { detail: 'The body ended before it was complete.' })
}
