/** HTTP to addresses that tenants give us: only to the internet, without redirects, and bounded.
 *
 *  A URL that was fine when it was saved may lead elsewhere now. So the address is judged where it
 *  is used: names are looked up once for each connection, and the connection goes to what was
 *  judged. A second look at the name, which could get another answer, never happens.
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
/** As long as the most patient judge may take; who is in more of a hurry gives a signal. */
const defaultTimeoutMs = 300_000
const connectionsPerOriginMax = 128
const mebibyte = 1024 * 1024

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface Outbound {
  /**
   * As `fetch`, but the whole answer has arrived when it resolves, and a redirect is an answer
   * like any other. The body is text or bytes. @throws {OutboundError}, or the signal's reason.
   */
  readonly fetch: Fetch
  /** Why a URL may not be used, or null: what can be told without asking anybody. */
  addressObjection(url: string): string | null
  readonly privateAddressesAllowed: boolean
  close(): Promise<void>
}

export interface OutboundOptions {
  /** PRIVATE_ADDRESSES_ALLOWED: then http and this machine will do as well. */
  readonly privateAddressesAllowed: boolean
  /** Of an answer, compressed or not. */
  readonly responseBytesMax?: number
  /** From the first byte sent to the last one read. */
  readonly timeoutMs?: number
  /** As that of `node:dns`. */
  readonly lookup?: Lookup
}

export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void
) => void

export type OutboundErrorCode =
  'address_refused' | 'unreachable' | 'interrupted' | 'timeout' | 'too_large'

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
    // Literal addresses never come to a lookup: `fetch` has judged them.
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

/** One address that is refused spoils the name: whoever mixes them is trying something. */
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
  if (parsed === null) return 'is no URL'
  const protocols = privateAllowed ? ['https:', 'http:'] : ['https:']
  if (!protocols.includes(parsed.protocol)) return 'must begin with https://'
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a login'
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) {
    const objection = objectionToAddress(host, privateAllowed)
    return objection === null ? null : `names an address that ${objection}`
  }
  if (/(^|[.])localhost[.]?$/.test(host) && !privateAllowed) return 'names this machine'
  return null
}

function objectionToAddress(address: string, privateAllowed: boolean): string | null {
  if (isMetadataAddress(address)) return 'hands out credentials of machines'
  return privateAllowed || isPublicAddress(address) ? null : 'is not on the internet'
}

/** Compression is declined: for a small answer it costs more than it saves. */
function requestOf({ method = 'GET', headers, body }: RequestInit) {
  if (body instanceof ReadableStream || body instanceof FormData || body instanceof Blob) {
    throw new TypeError('a body is text or bytes')
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
  // A server may compress without being asked, and a small body may become a huge one.
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
    return new OutboundError('timeout', 'no whole answer in time', error)
  }
  const code = codeOf(error)
  if (tooLargeCodes.includes(code)) {
    return new OutboundError('too_large', 'the answer is larger than allowed', error)
  }
  if (unreachableCodes.test(code)) {
    return new OutboundError('unreachable', `no connection (${code})`, error)
  }
  return new OutboundError('interrupted', `the connection broke (${code})`, error)
}

/** Of several addresses that were tried in vain, the first one's. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined ? 'unknown' : codeOf(errors[0] ?? {})
}
