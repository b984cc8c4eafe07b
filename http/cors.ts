/** CORS: allows scripts of the configured origins and rejects all others. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from './call.ts'

type Headers = Readonly<Record<string, string>>

export interface Cors {
  /** Returns the headers that let a script of an allowed origin read the response. */
  headersFor(origin: string | undefined): Headers
  /**
   * Returns the response to a preflight request; null if the request is not a preflight or its
   * origin is not allowed.
   */
  preflight(request: IncomingHttpHeaders, methods: string): Reply | null
}

const requestHeaders = [
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'sluice-otlp-kinds',
  'traceparent',
  'x-api-key',
  'x-request-id'
].join(', ')
const exposedHeaders = [
  'etag',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
  'x-sluice-version'
].join(', ')
const preflightSeconds = '600'

/**
 * Creates the CORS functions. Credentials mode is never allowed: scripts of other origins send a
 * key or token in a header, and must not use the refresh-token cookie. If any origin is
 * configured, every response has a Vary header; without it, a cache could return one origin's
 * response to another.
 */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins)
  const none: Headers = allowed.size === 0 ? {} : { vary: 'origin' }

  function headersFor(origin: string | undefined): Headers {
    if (origin === undefined || !allowed.has(origin)) return none
    return {
      ...none,
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposedHeaders
    }
  }

  return {
    headersFor,
    preflight: ({ origin, ...rest }, methods) => {
      const isAsking = rest['access-control-request-method'] !== undefined
      if (!isAsking || origin === undefined || !allowed.has(origin)) return null
      return {
        status: 204,
        headers: {
          'access-control-allow-methods': methods,
          'access-control-allow-headers': requestHeaders,
          'access-control-max-age': preflightSeconds
        },
        body: ''
      }
    }
  }
}
