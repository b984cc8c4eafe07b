/** Counts the usage of API keys and records why requests were rejected. */
import type { Clock } from '../../core/clock.ts'
import type { Problem } from '../../core/problem.ts'
import { KeyProblem } from '../../auth/key-problem.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { UsageCounters, RejectedAttempt } from '../../usage/usage.ts'
import { onlyOf } from './attempt.ts'
import type { Attempt } from './attempt.ts'

/** Counts usage. No method throws. Requests without a known key are not counted. */
export interface CountUsage {
  /** Counts decisions that Kafka has acknowledged. */
  accepted(attempt: Attempt, decisions: number): void
  /** Counts the rejection of a whole request. */
  rejected(attempt: Attempt, problem: Problem): void
  /** Counts the rejected items of a batch. */
  rejectedEach(attempt: Attempt): void
}

const detailCharsMax = 200

export function createCountUsage(dependencies: { usage: UsageCounters; clock: Clock }): CountUsage {
  const { usage, clock } = dependencies

  function useKey(principal: KeyPrincipal, { call, batch }: Attempt) {
    const key = usage.keyOf(principal)
    // One recorded use per key and flush is enough.
    if (key.use !== null) return key
    const address = call.remote_address || null
    key.use = { at: clock.now(), address, sdk_version: batch?.sdkVersionAt(0) ?? null }
    return key
  }

  function noteAttempt(principal: KeyPrincipal, rejection: Rejection): void {
    usage.addAttempt(principal, attemptOf(principal, rejection, clock.now()))
  }

  return {
    accepted: (attempt, decisions) => {
      if (attempt.principal === null) return
      useKey(attempt.principal, attempt).accepted += decisions
    },

    rejected: (attempt, problem) => {
      const ownerOfKey = problem instanceof KeyProblem ? problem.principal : null
      const principal = attempt.principal ?? ownerOfKey
      if (principal === null) return
      useKey(principal, attempt)
      usage.rejected(principal, onlyOf(attempt)?.agentAt(0) ?? null, problem.code)
      noteAttempt(principal, { attempt, index: 0, problem })
    },

    rejectedEach: (attempt) => {
      const { principal, batch } = attempt
      if (principal === null || batch === null) return
      const noted = new Set<string>()
      for (const [index, problem] of batch.problems.entries()) {
        if (problem === null) continue
        usage.rejected(principal, batch.agentAt(index), problem.code)
        // One recorded attempt per reason is enough, however many items it rejected.
        if (noted.has(problem.code)) continue
        noted.add(problem.code)
        noteAttempt(principal, { attempt, index, problem })
      }
    }
  }
}

/** The rejection of a whole request or of the item at `index`. */
interface Rejection {
  readonly attempt: Attempt
  readonly index: number
  readonly problem: Problem
}

function attemptOf(principal: KeyPrincipal, rejection: Rejection, at: number): RejectedAttempt {
  const { attempt, index, problem } = rejection
  const { call, batch } = attempt
  const { detail, errors = [] } = problem.options
  return {
    at,
    key_id: principal.key_id,
    status: problem.status,
    code: problem.code,
    detail: cut(detail),
    pointer: errors[0] === undefined ? null : cut(errors[0].pointer),
    agent_id: batch?.agentAt(index) || null,
    sdk_version: batch?.sdkVersionAt(index) ?? null,
    request_id: call.request_id
  }
}

/** Truncates the text to `detailCharsMax` characters, never within a surrogate pair. */
function cut(text: string): string {
  if (text.length <= detailCharsMax) return text
  return `${[...text.slice(0, 2 * detailCharsMax)].slice(0, detailCharsMax - 1).join('')}…`
}
