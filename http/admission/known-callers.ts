/** Caches the organization of each verified credential, so that admission can queue requests by
 * organization before they are authenticated.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { createCache } from '../../platform/process/cache.ts'

export interface KnownCallers {
  /**
   * Records a verified credential. Must be called for every request that has one, so that active
   * callers stay cached.
   */
  note(authorization: string, organizationId: string): void
  /** Returns undefined if the credential has not been verified recently. */
  organizationOf(authorization: string | undefined): string | undefined
}

const callersMax = 10_000
/**
 * Only this spelling is cached. Otherwise one credential could fill the cache with variants of its
 * header.
 */
const usualSpelling = /^Bearer \S+$/

/** Returns the credential. Some exporters of OpenTelemetry can only send it as `x-api-key`. */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key']
  return headers.authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined)
}

function createKnownCallers(): KnownCallers {
  const callers = createCache<{ readonly organizationId: string }>(callersMax)

  return {
    note: (authorization, organizationId) => {
      if (callers.get(authorization) !== undefined) return
      if (usualSpelling.test(authorization)) callers.set(authorization, { organizationId })
    },
    organizationOf: (authorization) =>
      authorization === undefined ? undefined : callers.get(authorization)?.organizationId
  }
}

/** Shared by the whole process, because the process has one queue. */
export const knownCallers = createKnownCallers()
