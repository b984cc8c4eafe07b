/** Long polling: the query parameters `wait` and `until`, and repeated reads of Postgres, with
 * limits on the time and on the number of waiting calls.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isEvaluationOver } from '../core/evaluation/evaluation-status.ts'
import type { Problem } from '../core/problem.ts'
import { overloaded } from '../http/admission/overloaded.ts'
import { integer, oneOf, withDefault } from '../http/schema.ts'
import { evaluationViewOf } from './evaluation-view.ts'
import type { DecisionEvaluation } from './read-evaluations.ts'

export type Until = 'stored' | 'first_score' | 'evaluated'

const waitSecondsMax = 30

/** Returns the schema of the query parameter `wait`, in whole seconds. */
export function waitParameter(description: string) {
  return withDefault(integer({ minimum: 0, maximum: waitSecondsMax, default: 0, description }))
}

/** Returns the query parameters of a read that can wait. */
export function waitParameters(untilDefault: Until) {
  return {
    wait: waitParameter(
      'Maximum seconds to wait for `until`. After that, the current state is returned.'
    ),
    until: withDefault(
      oneOf(['stored', 'first_score', 'evaluated'], {
        type: 'string',
        default: untilDefault,
        description:
          'What to wait for. `stored`: the decision is stored. `first_score`: the decision ' +
          'has a score, or its evaluation has ended without one. `evaluated`: all planned ' +
          'runs have ended.'
      })
    )
  }
}

/** Checks whether the evaluation of a stored decision satisfies `until`. */
export function isReached(until: Until, known: DecisionEvaluation): boolean {
  if (until === 'stored') return true
  const { status, scores } = evaluationViewOf(known)
  const isOver = isEvaluationOver(status)
  return until === 'evaluated' ? isOver : isOver || Object.keys(scores).length > 0
}

export interface PollTimer {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Resolves after `ms` milliseconds, or immediately if the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

interface PollDependencies {
  /** Maximum number of waiting calls in this process. */
  readonly waitingMax?: number | undefined
  /** Aborted on shutdown. Waiting calls then return the last value read. */
  readonly stopping: AbortSignal
  readonly timer?: PollTimer
}

interface PollOptions {
  readonly organizationId: string
  readonly waitMs: number
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Default maximum number of waiting calls. At two reads per second each, 250 calls cause about 500
 * small reads per second.
 */
const waitingMaxDefault = 250
/** Maximum number of reads per second for all waiting calls of an organization. */
const organizationReadsPerSecond = 50
/** Maximum fraction of the slots that one organization can hold. */
const organizationPart = 1 / 5
/** The first pauses are short, because most decisions are stored within a second. */
const firstPauseMs = 100
const pauseGrowth = 1.5
const pauseMsMax = 500

export const systemTimer: PollTimer = Object.freeze({
  now: () => performance.now(),
  pause: async (ms: number, signal: AbortSignal) => {
    await delay(ms, undefined, { signal }).catch(() => {})
  }
})

export type Poll = ReturnType<typeof createPoll>

export function createPoll(dependencies: PollDependencies) {
  const { stopping, waitingMax = waitingMaxDefault, timer = systemTimer } = dependencies
  const takeSlot = createWaitSlots(waitingMax)

  /**
   * Repeats `read` until `isEnough` accepts its result or `waitMs` has passed.
   * @returns the last value read
   * @throws {Problem} 503 if too many calls are already waiting
   */
  return async function poll<T>(
    read: () => Promise<T>,
    isEnough: (value: T) => boolean,
    { organizationId, waitMs, signal }: PollOptions
  ): Promise<T> {
    const endsAt = timer.now() + waitMs
    let value = await read()
    if (waitMs === 0 || isEnough(value)) return value
    const slot = takeSlot(organizationId)
    const ended = AbortSignal.any([signal, stopping])
    try {
      for (let pauseMs = firstPauseMs; !isEnough(value); pauseMs *= pauseGrowth) {
        const leftMs = endsAt - timer.now()
        if (leftMs <= 0 || ended.aborted) break
        const pauseMsMin = (slot.ofOrganization() * 1000) / organizationReadsPerSecond
        const wantedMs = Math.max(Math.min(pauseMs, pauseMsMax), pauseMsMin)
        await timer.pause(Math.min(wantedMs, leftMs), ended)
        if (ended.aborted) break
        value = await read()
      }
      return value
    } finally {
      slot.leave()
    }
  }
}

/**
 * Limits the number of waiting calls.
 * @returns a function that takes a slot, or throws a 503 problem if no slot is free
 */
function createWaitSlots(waitingMax: number) {
  const organizationMax = Math.ceil(waitingMax * organizationPart)
  const waiting = new Map<string, number>()
  let all = 0

  return function takeSlot(organizationId: string) {
    const own = waiting.get(organizationId) ?? 0
    if (own >= organizationMax) throw tooManyWait(organizationMax, 'of your organization')
    if (all >= waitingMax) throw tooManyWait(waitingMax, 'on this instance')
    all += 1
    waiting.set(organizationId, own + 1)
    return {
      /** Returns the number of slots that the organization holds. */
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

function tooManyWait(limit: number, scope: string): Problem {
  return overloaded(`${limit} calls ${scope} are already waiting. Omit \`wait\`, or retry shortly.`)
}
