/** Limits the concurrent work of each organization, and pauses after each piece of its work while
 *  other organizations call. */
import type { Problem } from '../../core/problem.ts'
import type { Neighbours } from '../../platform/process/neighbours.ts'
import { neighbours } from './neighbours.ts'
import { overloaded } from './overloaded.ts'

export interface FairShareOptions {
  /** What is limited, in the plural; callers are told. */
  readonly what: string
  /** Of one organization. */
  readonly atOnceMax: number
  /** The limit while other organizations call; default: `atOnceMax`. */
  readonly besideOthersMax?: number
  /** How many pieces of work of one organization wait; beyond them more is rejected at once. */
  readonly waitingMax: number
  /** Of all organizations or networks; while many of them wait, each may have fewer waiting. */
  readonly waitingOfAllMax?: number
  /** Work that has waited this long is rejected; without it, work waits as long as it takes. */
  readonly waitMsMax?: number
  /** How long a slot stays empty after its work while other organizations call. */
  readonly pause?: Pause
  readonly neighbours?: Pick<Neighbours, 'has'>
}

/** Computes the pause in ms from the ms of work and the number of waiting pieces of work. */
export type Pause = (workedMs: number, waiting: number) => number

/**
 * @param key whose work it is: the id of an organization, or a network
 * @throws {Problem} 503 when it has too much work waiting, or for too long
 */
export type FairShare = <T>(key: string, work: () => Promise<T>) => Promise<T>

interface Share {
  running: number
  /** In order of arrival. */
  readonly waiting: Set<() => void>
}

/** Short, because a person waits for most of this work, and because on a slow machine long pauses
 *  would delay light users as well. */
const shortPause: Pause = (workedMs) => Math.min(2 * workedMs, 50)

export function createFairShare(options: FairShareOptions): FairShare {
  const { atOnceMax, besideOthersMax = atOnceMax, pause = shortPause } = options
  const others = options.neighbours ?? neighbours
  const shares = new Map<string, Share>()

  function shareOf(key: string): Share {
    const known = shares.get(key)
    if (known !== undefined) return known
    const share = { running: 0, waiting: new Set<() => void>() }
    shares.set(key, share)
    return share
  }

  function roomOf(): number {
    const { waitingMax, waitingOfAllMax = Number.POSITIVE_INFINITY } = options
    return Math.min(waitingMax, Math.max(1, Math.floor(waitingOfAllMax / shares.size)))
  }

  function limitOf(key: string): number {
    return others.has(key) ? besideOthersMax : atOnceMax
  }

  function leave(key: string, share: Share): void {
    share.running -= 1
    const limit = limitOf(key)
    for (const next of share.waiting) {
      if (share.running >= limit) break
      share.waiting.delete(next)
      share.running += 1
      next()
    }
    if (share.running === 0) shares.delete(key)
  }

  /** An empty slot leaves CPU time and Postgres to other organizations. */
  function leaveAfterPause(key: string, share: Share, workedMs: number): void {
    const pauseMs = pause(workedMs, share.waiting.size)
    if (pauseMs < 1 || !others.has(key)) return leave(key, share)
    setTimeout(leave, pauseMs, key, share)
  }

  return async function inShare(key, work) {
    const share = shareOf(key)
    if (share.running >= limitOf(key)) await placeIn(share, { ...options, waitingMax: roomOf() })
    else share.running += 1
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      leaveAfterPause(key, share, performance.now() - startedAt)
    }
  }
}

async function placeIn(
  { waiting }: Share,
  { what, waitingMax, waitMsMax }: FairShareOptions
): Promise<void> {
  if (waiting.size >= waitingMax) throw tooMuch(what)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiting.add(resolve)
  const giveUp = (): void => {
    waiting.delete(resolve)
    reject(tooMuch(what))
  }
  const timer = waitMsMax === undefined ? undefined : setTimeout(giveUp, waitMsMax)
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Why a Problem was thrown: one organization or network asks for too much. */
export class ShareFullError extends Error {
  override readonly name = 'ShareFullError'
}

function tooMuch(what: string): Problem {
  return overloaded(
    `Your organization or network has too many ${what} in progress on this instance. ` +
      'Retry shortly, with fewer at a time.',
    new ShareFullError(`too many ${what} of one organization or network`)
  )
}
