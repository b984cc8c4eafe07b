/** Limits how much work of one organization runs at once; no other organization waits for it. */
import type { Problem } from '../../core/problem.ts'
import { overloaded } from './overloaded.ts'

export interface FairShareOptions {
  /** Of one organization. */
  readonly atOnceMax: number
  /** How many pieces of work of one organization wait; beyond them more is rejected at once. */
  readonly waitingMax: number
  /** Work that has waited this long is rejected; without it, work waits as long as it takes. */
  readonly waitMsMax?: number
}

/** @throws {Problem} 503 when the organization has too much work waiting, or for too long */
export type FairShare = <T>(organizationId: string, work: () => Promise<T>) => Promise<T>

interface Share {
  running: number
  /** In order of arrival. */
  readonly waiting: Set<() => void>
}

export function createFairShare(options: FairShareOptions): FairShare {
  const { atOnceMax } = options
  const shares = new Map<string, Share>()

  function shareOf(organizationId: string): Share {
    const known = shares.get(organizationId)
    if (known !== undefined) return known
    const share = { running: 0, waiting: new Set<() => void>() }
    shares.set(organizationId, share)
    return share
  }

  /** The next in line takes over the place. */
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
    if (share.running >= atOnceMax) await placeIn(share, options)
    else share.running += 1
    try {
      return await work()
    } finally {
      leave(organizationId, share)
    }
  }
}

async function placeIn({ waiting }: Share, options: FairShareOptions): Promise<void> {
  const { waitingMax, waitMsMax } = options
  if (waiting.size >= waitingMax) throw tooMuch()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiting.add(resolve)
  const giveUp = (): void => {
    waiting.delete(resolve)
    reject(tooMuch())
  }
  const timer = waitMsMax === undefined ? undefined : setTimeout(giveUp, waitMsMax)
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

function tooMuch(): Problem {
  return overloaded(
    'Your organization has reached its limit of concurrent requests. Retry shortly.'
  )
}
