/** Reads a request's body whole, inflated, and never further than its limits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLong, longText } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import { bodyBytesMax } from './body-budget.ts'
import type { BodyLease } from './body-budget.ts'
import { encodings, inflaterBytes, inflaterOf } from './inflate.ts'
import type { Inflater } from './inflate.ts'
import type { BodyLimits, WorkShare } from '../call.ts'
import { overloaded } from '../admission/overloaded.ts'

export interface BodySource {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What is read counts against it until the request is answered. */
  readonly lease: BodyLease
}

/**
 * @throws {Problem} 413 past `bytesMax` inflated bytes, 415 or 400 for the encoding, 503 when this
 * process or `sharedBy` holds too many bodies already.
 */
export async function useBody<T>(
  source: BodySource,
  limits: BodyLimits,
  use: (body: Buffer) => Promise<T>
): Promise<T> {
  const { bytesMax = bodyBytesMax, sharedBy, inShare = atOnce } = limits
  refuseUnread(source.request, bytesMax)
  const inflate = createInflate(source)
  const raw = await collect(source, sharedBy, bytesMax)
  const short = inflate === null ? raw : await inflate(raw, Math.min(bytesMax, longText))
  if (short !== null && !isLong(short)) return use(short)
  if (bytesMax <= longText) throw tooLarge(bytesMax)
  return inShare(async () => {
    // Nobody waits for the answer any more, and nothing was accepted.
    if (source.response.destroyed) throw cutOff()
    // A few bytes can become 10 MiB: a body that turned out to be long is inflated again.
    const whole = short ?? (await inflate?.(raw, bytesMax)) ?? null
    if (whole === null) throw tooLarge(bytesMax)
    return use(whole)
  })
}

const atOnce: WorkShare = (work) => work()

function refuseUnread({ headers, destroyed }: IncomingMessage, bytesMax: number): void {
  // Who hung up while his key was looked up: there will be no event any more to tell.
  if (destroyed) throw cutOff()
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
}

/** Who asks before sending is invited only now: a caller without a key never gets this far. */
function invite({ request, response }: BodySource): void {
  if (request.headers.expect !== undefined) response.writeContinue()
}

/** Plain event listeners: an async iterator over a body of one chunk costs more than the body. */
function collect(source: BodySource, sharedBy: string | undefined, bytesMax: number) {
  const { request, lease } = source
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  if (sharedBy !== undefined && !lease.begin(sharedBy, cut)) throw tooManyBodies()
  invite(source)

  request.on('data', (chunk: Buffer) => {
    lease.raw += chunk.length
    lease.inflated = lease.raw
    if (lease.raw > bytesMax) stop(tooLarge(bytesMax))
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

  /** Settling twice is harmless: the first outcome stands. */
  function stop(problem: Problem): void {
    reject(problem)
    chunks.length = 0
    request.removeAllListeners('data')
  }

  function cut(): void {
    stop(tooSlow())
    setTimeout(() => request.destroy(), answerMs)
  }
  return promise
}

/** For an answer to be written before the connection is cut. */
const answerMs = 100

/** Null for a body that is not compressed. @throws {Problem} 415 for an unknown encoding */
function createInflate({ request, lease }: BodySource) {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return null
  const open = inflaterOf(encoding)
  if (open === null) throw unsupported(encoding)
  return (raw: Buffer, bytesMax: number) => inflateUpTo(bytesMax, raw, { encoding, open, lease })
}

interface Inflating {
  readonly encoding: string
  readonly open: (rawBytes: number) => Inflater
  readonly lease: BodyLease
}

/** Null past `bytesMax`. @throws {Problem} 400, 503 */
function inflateUpTo(bytesMax: number, raw: Buffer, { encoding, open, lease }: Inflating) {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>()
  if (!lease.take(inflaterBytes)) throw tooManyBytes()
  const inflater = open(raw.length)
  const chunks: Buffer[] = []
  lease.inflated = 0

  inflater.on('data', (chunk: Buffer) => {
    lease.inflated += chunk.length
    if (lease.inflated > bytesMax) stop(() => resolve(null))
    // Twice: what came out may stand in the window of the inflater as well.
    else if (lease.take(2 * chunk.length)) chunks.push(chunk)
    else stop(() => reject(tooManyBytes()))
  })
  inflater.on('end', () => {
    // It ends early, and without an error, when something follows what it inflates: junk, or a
    // second frame of zstd, which Node does not read. To cut it off would change what was sent.
    if (inflater.bytesWritten !== raw.length) return reject(garbled(encoding))
    // The inflater and its window are gone.
    lease.keep(raw.length + lease.inflated)
    resolve(joined(chunks))
  })
  inflater.on('error', () => stop(() => reject(garbled(encoding))))
  inflater.end(raw)

  function stop(settle: () => void): void {
    settle()
    chunks.length = 0
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
    'The memory for request bodies is used up, of this instance or for your organization. ' +
      'Retry shortly.'
  )
}

function tooManyBodies(): Problem {
  return overloaded(
    'As many requests of your organization or network send a body as may at a time. Retry shortly.'
  )
}

function tooSlow(): Problem {
  return overloaded(
    'The body arrived too slowly while other callers needed its place. Retry shortly.'
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
