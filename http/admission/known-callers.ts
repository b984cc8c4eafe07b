/** Which organization sent a credential, as far as it was verified: the queue goes by it before
 *  anything is verified. */
import { createCache } from '../../platform/process/cache.ts'

export interface KnownCallers {
  /** To be called for every request whose credential was verified. */
  note(authorization: string, organizationId: string): void
  /** Undefined for credentials that nobody has verified of late. */
  organizationOf(authorization: string | undefined): string | undefined
}

const callersMax = 10_000
/** Otherwise one credential could fill the cache, spelled in many ways. */
const usualSpelling = /^Bearer \S+$/

export function createKnownCallers(): KnownCallers {
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

/** One for the process, because the process has one queue. */
export const knownCallers = createKnownCallers()
