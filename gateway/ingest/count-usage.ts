/** Counts the usage of API keys and records why requests were rejected. */
import type { Clock } from '../../core/clock.ts'
import type { Problem } from '../../core/problem.ts'
import { KeyProblem } from '../../auth/key-problem.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { UsageCounters, RejectedAttempt } from '../../usage/usage.ts'
import type { Attempt, BatchAttempt } from './attempt.ts'
import type { Item } from './each.ts'
import type { Submission } from './parse.ts'
import { agentIdOf, sdkVersionOf } from './submitted.ts'

/** Counts usage. No method throws. Requests without a known key are not counted. */
export interface CountUsage {
  /** Counts decisions that Kafka has acknowledged. For a batch, `from` is any of its items. */
  accepted(attempt: Attempt, decisions: number, from?: Item<Submission> | null): void
  /** Counts the rejection of a whole request. */
  rejected(attempt: Attempt, problem: Problem): void
  /** Counts the rejected items of a batch. */
  rejectedEach(attempt: BatchAttempt, results: readonly (Problem | null)[]): void
}

const detailCharsMax = 200

export function createCountUsage(dependencies: { usage: UsageCounters; clock: Clock }): CountUsage {
  const { usage, clock } = dependencies

  function useKey(principal: KeyPrincipal, attempt: Attempt, submission: Item<Submission> | null) {
    const key = usage.keyOf(principal)
    // One recorded use per key and flush is enough.
    if (key.use !== null) return key
    const address = attempt.call.remote_address || null
    key.use = { at: clock.now(), address, sdk_version: sdkVersionOf(submission) }
    return key
  }

  function noteAttempt(principal: KeyPrincipal, rejection: Rejection): void {
    usage.addAttempt(principal, attemptOf(principal, rejection, clock.now()))
  }

  return {
    accepted: (attempt, decisions, from = attempt.submission) => {
      if (attempt.principal === null) return
      useKey(attempt.principal, attempt, from).accepted += decisions
    },

    rejected: (attempt, problem) => {
      const ownerOfKey = problem instanceof KeyProblem ? problem.principal : null
      const principal = attempt.principal ?? ownerOfKey
      if (principal === null) return
      const { submission } = attempt
      useKey(principal, attempt, submission)
      usage.rejected(principal, agentIdOf(submission), problem.code)
      noteAttempt(principal, { attempt, submission, problem })
    },

    rejectedEach: (attempt, results) => {
      const { principal, items } = attempt
      if (principal === null) return
      const noted = new Set<string>()
      for (const [index, problem] of results.entries()) {
        if (problem === null) continue
        const submission = items[index] ?? null
        usage.rejected(principal, agentIdOf(submission), problem.code)
        // One recorded attempt per reason is enough, however many items it rejected.
        if (noted.has(problem.code)) continue
        noted.add(problem.code)
        noteAttempt(principal, { attempt, submission, problem })
      }
    }
  }
}

interface Rejection {
  readonly attempt: Attempt
  readonly submission: Item<Submission> | null
  readonly problem: Problem
}

function attemptOf(principal: KeyPrincipal, rejection: Rejection, at: number): RejectedAttempt {
  const { attempt, submission, problem } = rejection
  const { detail, errors = [] } = problem.options
  return {
    at,
    key_id: principal.key_id,
    status: problem.status,
    code: problem.code,
    detail: cut(detail),
    pointer: errors[0] === undefined ? null : cut(errors[0].pointer),
    agent_id: agentIdOf(submission) || null,
    sdk_version: sdkVersionOf(submission),
    request_id: attempt.call.request_id
  }
}

/** Truncates the text to `detailCharsMax` characters, never within a surrogate pair. */
function cut(text: string): string {
  if (text.length <= detailCharsMax) return text
  return `${[...text.slice(0, 2 * detailCharsMax)].slice(0, detailCharsMax - 1).join('')}…`
}
