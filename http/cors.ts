/** What scripts of other origins may do: nothing, unless their origin is configured by name. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from './call.ts'

type Headers = Readonly<Record<string, string>>

export interface Cors {
  /** What an answer needs so that a script of the caller's origin may read it. */
  headersFor(origin: string | undefined): Headers
  /** The answer to a browser that asks first; null when it does not, or asks in vain. */
  preflight(request: IncomingHttpHeaders, methods: string): Reply | null
}

const requestHeaders = [
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'traceparent',
  'x-request-id'
].join(', ')
const answerHeaders = ['etag', 'ratelimit', 'ratelimit-policy', 'retry-after', 'x-request-id'].join(
  ', '
)
const preflightSeconds = '600'

/**
 * Never with credentials: a key or a token is a header that a script sets, and cookies mean nothing
 * here. Vary is said to everybody, or a cache would give one origin's answer to another.
 */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins)
  const none: Headers = allowed.size === 0 ? {} : { vary: 'origin' }

  function headersFor(origin: string | undefined): Headers {
    if (origin === undefined || !allowed.has(origin)) return none
    return {
      ...none,
      'access-control-allow-origin': origin,
      'access-control-expose-headers': answerHeaders
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
