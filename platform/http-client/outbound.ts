/** Outbound HTTP to URLs that tenants configure: allows only public addresses, follows no
 * redirects, and limits time and size.
 *
 * A host name can resolve to another address after its URL was validated, so the address is checked
 * on every connection. The connection uses the address that was checked, because a second lookup
 * could return a different one.
 */
import { lookup as lookupByName } from 'node:dns'
import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import { createDeadline } from '../process/deadline.ts'
import { isMetadataAddress, isPublicAddress } from './public-address.ts'

const connectTimeoutMs = 5000
/** Timeout for judge calls. Callers that need a shorter timeout pass a signal. */
const defaultTimeoutMs = 300_000
const connectionsPerOriginMax = 128
const mebibyte = 1024 * 1024

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface Outbound {
  /**
   * Works like `fetch`, but reads the whole response before it resolves, and does not follow
   * redirects. The request body must be text or bytes.
   * @throws {OutboundError}, or the signal's reason if the signal is aborted
   */
  readonly fetch: Fetch
  /** Returns the reason why a URL is not allowed, or null. Makes no network request. */
  addressObjection(url: string): string | null
  readonly privateAddressesAllowed: boolean
  close(): Promise<void>
}

export interface OutboundOptions {
  /** If true, private addresses, localhost and plain HTTP are allowed. */
  readonly privateAddressesAllowed: boolean
  /** Maximum size of a response in bytes, before and after decompression. Default: 4 MiB. */
  readonly responseBytesMax?: number
  /**
   * Maximum time of a request, from connecting to the last byte of the response. Default: 5
   * minutes.
   */
  readonly timeoutMs?: number
  /** Default: `lookup` of `node:dns`. */
  readonly lookup?: Lookup
}

export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void
) => void

type OutboundErrorCode = 'address_refused' | 'unreachable' | 'interrupted' | 'timeout' | 'too_large'

export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { privateAddressesAllowed, responseBytesMax = 4 * mebibyte } = options
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const agent = new Agent({
    // `lookup` is called only for host names. `fetch` has already checked IP addresses in URLs.
    connect: {
      timeout: connectTimeoutMs,
      autoSelectFamily: true,
      lookup: createJudgingLookup(options.lookup ?? lookupByName, privateAddressesAllowed)
    },
    connections: connectionsPerOriginMax,
    maxResponseSize: responseBytesMax,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false
  })

  function addressObjection(url: string): string | null {
    return objectionOf(url, privateAddressesAllowed)
  }

  async function fetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const href = url instanceof Request ? url.url : String(url)
    const objection = addressObjection(href)
    if (objection !== null) throw new OutboundError('address_refused', `the URL ${objection}`)
    const { signal, clear } = createDeadline(timeoutMs, init.signal)
    try {
      const answer = await request(href, { dispatcher: agent, signal, ...requestOf(init) })
      return await responseOf(answer, responseBytesMax)
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason
      throw outboundErrorOf(error)
    } finally {
      clear()
    }
  }

  return { fetch, addressObjection, privateAddressesAllowed, close: () => agent.destroy() }
}

/**
 * Creates a lookup that rejects a name if any of its addresses is forbidden. A mix of allowed and
 * forbidden addresses suggests an attack.
 */
function createJudgingLookup(lookup: Lookup, privateAllowed: boolean): LookupFunction {
  return function judgingLookup(hostname, options, callback) {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const objections = addresses.map(({ address }) => objectionToAddress(address, privateAllowed))
      const objection = objections.find((each) => each !== null) ?? null
      if (objection === null) return callback(null, addresses)
      callback(new OutboundError('address_refused', `the address ${objection}`), [])
    })
  }
}

function objectionOf(url: string, privateAllowed: boolean): string | null {
  const parsed = URL.parse(url)
  if (parsed === null) return 'is not a valid URL'
  const protocols = privateAllowed ? ['https:', 'http:'] : ['https:']
  if (!protocols.includes(parsed.protocol)) return 'must begin with https://'
  if (parsed.username !== '' || parsed.password !== '')
    return 'must not contain a user name or password'
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) {
    const objection = objectionToAddress(host, privateAllowed)
    return objection === null ? null : `points to an address that ${objection}`
  }
  if (/(^|[.])localhost[.]?$/.test(host) && !privateAllowed) return 'points to this machine'
  return null
}

function objectionToAddress(address: string, privateAllowed: boolean): string | null {
  if (isMetadataAddress(address)) return 'serves cloud credentials'
  return privateAllowed || isPublicAddress(address) ? null : 'is not public'
}

/**
 * Returns the options for `request`. Disables compression, because it costs more than it saves for
 * small responses.
 */
function requestOf({ method = 'GET', headers, body }: RequestInit) {
  if (body instanceof ReadableStream || body instanceof FormData || body instanceof Blob) {
    throw new TypeError('the body must be text or bytes')
  }
  return {
    method,
    headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
    body: (body as string | Uint8Array | null | undefined) ?? null
  }
}

const inflaters = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate)
} as const

const bodilessStatuses = [204, 205, 304]

async function responseOf(answer: Dispatcher.ResponseData, bytesMax: number): Promise<Response> {
  const bytes = await answer.body.bytes()
  const encoding = String(answer.headers['content-encoding'] ?? 'identity')
  const isCompressed = Object.hasOwn(inflaters, encoding) && bytes.length > 0
  // Limits the decompressed size: a server can ignore `accept-encoding`, and a small body can
  // expand to a huge one.
  const body = isCompressed
    ? await inflaters[encoding as keyof typeof inflaters](bytes, { maxOutputLength: bytesMax })
    : bytes
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each)
  }
  const { statusCode: status } = answer
  const content = bodilessStatuses.includes(status) ? null : Uint8Array.from(body)
  return new Response(content, { status, headers })
}

const tooLargeCodes = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE']
const unreachableCodes =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ERR_TLS_\w+|CERT_\w+|.*_CERT.*|UNABLE_TO_\w+|ERR_SSL_\w+|EPROTO)$/

function outboundErrorOf(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  if ((error as Error).name === 'TimeoutError') {
    return new OutboundError('timeout', 'no complete response in time', error)
  }
  const code = codeOf(error)
  if (tooLargeCodes.includes(code)) {
    return new OutboundError('too_large', 'the response is larger than allowed', error)
  }
  if (unreachableCodes.test(code)) {
    return new OutboundError('unreachable', `no connection (${code})`, error)
  }
  return new OutboundError('interrupted', `the connection was lost (${code})`, error)
}

/** Returns the error code. If several addresses failed, returns the code of the first. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined ? 'unknown' : codeOf(errors[0] ?? {})
}
