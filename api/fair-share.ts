/** Lets each organization have few pieces of work under way: those of one hold up nobody else. */
import { overloaded } from '../http/admission/overloaded.ts'

export interface FairShareOptions {
  /** Of one organization. */
  readonly atOnceMax: number
  /** What has waited for so long is refused. */
  readonly waitMsMax: number
}

/** @throws {Problem} 503 when the organization has kept all its places for too long */
export type FairShare = <T>(organizationId: string, work: () => Promise<T>) => Promise<T>

interface Share {
  running: number
  /** Who is first comes first. */
  readonly waiting: Set<() => void>
}

export function createFairShare({ atOnceMax, waitMsMax }: FairShareOptions): FairShare {
  const shares = new Map<string, Share>()

  function shareOf(organizationId: string): Share {
    const known = shares.get(organizationId)
    if (known !== undefined) return known
    const share = { running: 0, waiting: new Set<() => void>() }
    shares.set(organizationId, share)
    return share
  }

  /** Whoever is next takes over the place. */
  function leave(organizationId: string, share: Share): void {
    const [next] = share.waiting
    if (next !== undefined) {
      share.waiting.delete(next)
      return next()
    }
    share.running -= 1
    if (share.running === 0) shares.delete(organizationId)
  }

  return async function inShare(organizationId, work) {
    const share = shareOf(organizationId)
    if (share.running >= atOnceMax) await placeIn(share, waitMsMax)
    else share.running += 1
    try {
      return await work()
    } finally {
      leave(organizationId, share)
    }
  }
}

async function placeIn({ waiting }: Share, waitMsMax: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiting.add(resolve)
  const timer = setTimeout(() => {
    waiting.delete(resolve)
    reject(overloaded('Your organization asks for more at once than may be; try again shortly.'))
  }, waitMsMax)
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}
