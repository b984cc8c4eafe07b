/** Limits the concurrent work of each organization, and pauses after each task while other
 * organizations use the process.
 */
import type { Problem } from '../../core/problem.ts'
import type { Neighbours } from '../../platform/process/neighbours.ts'
import { activeOrganizations } from './active-organizations.ts'
import { overloaded } from './overloaded.ts'

export interface FairShareOptions {
  /** The limited work, as a plural noun for the error detail. */
  readonly what: string
  /** Maximum number of concurrent tasks of one organization. */
  readonly atOnceMax: number
  /**
   * Maximum number of concurrent tasks while other organizations use the process. Default:
   * `atOnceMax`.
   */
  readonly contendedMax?: number
  /** Maximum number of queued tasks of one organization. Further tasks are rejected immediately. */
  readonly waitingMax: number
  /**
   * Maximum number of queued tasks of all organizations or networks. It is divided among those that
   * have tasks, so each may get less than `waitingMax`.
   */
  readonly waitingOfAllMax?: number
  /** Time in milliseconds after which a queued task is rejected. Default: never. */
  readonly waitMsMax?: number
  /**
   * Computes the pause before a slot is freed while other organizations use the process. Default:
   * `shortPause`.
   */
  readonly pause?: Pause
  readonly activeOrganizations?: Pick<Neighbours, 'has'>
}

/**
 * Computes the pause in milliseconds from the duration of the task and the number of queued tasks.
 */
export type Pause = (workedMs: number, waiting: number) => number

/**
 * Runs `work` when a slot of its organization or network is free.
 * @param key the organization or network that the work belongs to
 * @throws {Problem} 503 if too many tasks of `key` are queued, or if this task was queued for too
 * long
 */
export type FairShare = <T>(key: string, work: () => Promise<T>) => Promise<T>

interface Share {
  running: number
  /** Queued tasks in order of arrival. */
  readonly waiting: Set<() => void>
}

/**
 * The default pause. It is short because users wait for most of this work. On a slow machine, long
 * pauses would delay light users too.
 */
const shortPause: Pause = (workedMs) => Math.min(2 * workedMs, 50)

export function createFairShare(options: FairShareOptions): FairShare {
  const { atOnceMax, contendedMax = atOnceMax, pause = shortPause } = options
  const others = options.activeOrganizations ?? activeOrganizations
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
    return others.has(key) ? contendedMax : atOnceMax
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

  /** Frees the slot after a pause, to leave CPU time and Postgres to other organizations. */
  function leaveAfterPause(key: string, share: Share, workedMs: number): void {
    const pauseMs = pause(workedMs, share.waiting.size)
    if (pauseMs < 1 || !others.has(key)) return leave(key, share)
    setTimeout(leave, pauseMs, key, share)
  }

  return async function inShare(key, work) {
    const share = shareOf(key)
    if (share.running >= limitOf(key))
      await waitForSlot(share, { ...options, waitingMax: roomOf() })
    else share.running += 1
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      leaveAfterPause(key, share, performance.now() - startedAt)
    }
  }
}

async function waitForSlot(
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

/**
 * The cause of a 503: too many tasks of one organization or network are queued, or a task was
 * queued for too long.
 */
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
