/** Waiting for the store: reads again and again until it is enough, in bounded numbers and time. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Problem } from '../core/problem.ts'
import { overloaded } from '../http/admission/overloaded.ts'

export interface PollTimer {
  /** Milliseconds on a clock that never jumps. */
  now(): number
  /** Resolves after `ms`, or at once when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

export interface PollDependencies {
  /** Calls that may wait in this process at once. */
  readonly waitingMax?: number | undefined
  /** Aborted when the process was told to stop: whoever waits is answered with what there is. */
  readonly stopping: AbortSignal
  readonly timer?: PollTimer
}

export interface PollOptions {
  /** Whose call waits. */
  readonly organizationId: string
  readonly waitMs: number
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

/** @returns the last value read. @throws {Problem} 503 when too many calls wait already. */
export type Poll = <T>(
  read: () => Promise<T>,
  isEnough: (value: T) => boolean,
  options: PollOptions
) => Promise<T>

/** At two reads a second each, all waiting calls cost Postgres some 500 small reads a second. */
const waitingMaxDefault = 250
/** Of all calls of one organization that wait, together. */
const organizationReadsPerSecond = 50
/** One organization has this part of the places, so that it cannot take those of all others. */
const organizationPart = 1 / 5
const firstPauseMs = 100
const pauseGrowth = 1.5
const pauseMsMax = 500

export const systemTimer: PollTimer = Object.freeze({
  now: () => performance.now(),
  pause: async (ms: number, signal: AbortSignal) => {
    await delay(ms, undefined, { signal }).catch(() => {})
  }
})

export function createPoll(dependencies: PollDependencies): Poll {
  const { stopping, waitingMax = waitingMaxDefault, timer = systemTimer } = dependencies
  const takePlace = createPlaces(waitingMax)

  return async function poll(read, isEnough, { organizationId, waitMs, signal }) {
    const endsAt = timer.now() + waitMs
    const first = await read()
    if (waitMs === 0 || isEnough(first)) return first
    const place = takePlace(organizationId)
    try {
      const ended = AbortSignal.any([signal, stopping])
      const pauseMsMin = () => (place.ofOrganization() * 1000) / organizationReadsPerSecond
      return await readOn({ read, isEnough, timer, endsAt, ended, pauseMsMin }, first)
    } finally {
      place.leave()
    }
  }
}

interface Place {
  /** How many places its organization has taken. */
  ofOrganization(): number
  leave(): void
}

/** @returns a function that takes a place. @throws {Problem} 503 */
function createPlaces(waitingMax: number) {
  const organizationMax = Math.ceil(waitingMax * organizationPart)
  const waiting = new Map<string, number>()
  let all = 0

  return function takePlace(organizationId: string): Place {
    const ours = waiting.get(organizationId) ?? 0
    if (ours >= organizationMax) throw tooManyWait(organizationMax, 'of your organization')
    if (all >= waitingMax) throw tooManyWait(waitingMax, 'on this instance')
    all += 1
    waiting.set(organizationId, ours + 1)
    return {
      ofOrganization: () => waiting.get(organizationId) ?? 0,
      leave: () => {
        all -= 1
        const left = (waiting.get(organizationId) ?? 1) - 1
        if (left === 0) waiting.delete(organizationId)
        else waiting.set(organizationId, left)
      }
    }
  }
}

interface Waiting<T> {
  readonly read: () => Promise<T>
  readonly isEnough: (value: T) => boolean
  readonly timer: PollTimer
  readonly endsAt: number
  readonly ended: AbortSignal
  readonly pauseMsMin: () => number
}

/** Most decisions are there within a second, so the first pauses are short. */
async function readOn<T>(waiting: Waiting<T>, first: T): Promise<T> {
  const { read, isEnough, timer, endsAt, ended, pauseMsMin } = waiting
  let value = first
  for (let pauseMs = firstPauseMs; !isEnough(value); pauseMs *= pauseGrowth) {
    const leftMs = endsAt - timer.now()
    if (leftMs <= 0 || ended.aborted) return value
    const wantedMs = Math.max(Math.min(pauseMs, pauseMsMax), pauseMsMin())
    await timer.pause(Math.min(wantedMs, leftMs), ended)
    if (ended.aborted) return value
    value = await read()
  }
  return value
}

function tooManyWait(limit: number, whose: string): Problem {
  return overloaded(`${limit} calls ${whose} already wait. Omit \`wait\`, or retry shortly.`)
}
