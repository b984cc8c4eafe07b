/** Notes what became of a request: whose key it was, and why it was refused. */
import type { Clock } from '../../core/clock.ts'
import type { Problem } from '../../core/problem.ts'
import { KeyRefusal } from '../../auth/key-refusal.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { Facts, RefusedAttempt } from '../../usage/facts.ts'
import type { Attempt, BatchAttempt } from './attempt.ts'
import type { Item } from './each.ts'
import type { Submission } from './parse.ts'
import { agentIdOf, sdkVersionOf } from './submitted.ts'

/** None of them throws. A request of nobody's key is not noted. */
export interface NoteFacts {
  /** So many decisions of it are on the log; of a batch `from` is any of them. */
  accepted(attempt: Attempt, decisions: number, from?: Item<Submission> | null): void
  /** The request as a whole. */
  refused(attempt: Attempt, problem: Problem): void
  /** Of a batch those items that have a problem. */
  refusedEach(attempt: BatchAttempt, results: readonly (Problem | null)[]): void
}

const detailCharsMax = 200

export function createNoteFacts(dependencies: { facts: Facts; clock: Clock }): NoteFacts {
  const { facts, clock } = dependencies

  function useKey(principal: KeyPrincipal, attempt: Attempt, submission: Item<Submission> | null) {
    const key = facts.keyOf(principal)
    // Once between two flushes is often enough.
    if (key.use !== null) return key
    const address = attempt.call.remote_address || null
    key.use = { at: clock.now(), address, sdk_version: sdkVersionOf(submission) }
    return key
  }

  function noteAttempt(principal: KeyPrincipal, refused: Refused): void {
    facts.refused(principal, attemptOf(principal, refused, clock.now()))
  }

  return {
    accepted: (attempt, decisions, from = attempt.submission) => {
      if (attempt.principal === null) return
      useKey(attempt.principal, attempt, from).accepted += decisions
    },

    refused: (attempt, problem) => {
      const ownerOfKey = problem instanceof KeyRefusal ? problem.principal : null
      const principal = attempt.principal ?? ownerOfKey
      if (principal === null) return
      const { submission } = attempt
      useKey(principal, attempt, submission)
      facts.rejected(principal, agentIdOf(submission), problem.code)
      noteAttempt(principal, { attempt, submission, problem })
    },

    refusedEach: (attempt, results) => {
      const { principal, items } = attempt
      if (principal === null) return
      const told = new Set<string>()
      for (const [index, problem] of results.entries()) {
        if (problem === null) continue
        const submission = items[index] ?? null
        facts.rejected(principal, agentIdOf(submission), problem.code)
        // A thousand items that are refused for one reason are one thing to look at.
        if (told.has(problem.code)) continue
        told.add(problem.code)
        noteAttempt(principal, { attempt, submission, problem })
      }
    }
  }
}

interface Refused {
  readonly attempt: Attempt
  readonly submission: Item<Submission> | null
  readonly problem: Problem
}

function attemptOf(principal: KeyPrincipal, refused: Refused, at: number): RefusedAttempt {
  const { attempt, submission, problem } = refused
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

/** Whole characters of it: what is cut in two is no text any more. */
function cut(text: string): string {
  if (text.length <= detailCharsMax) return text
  return `${[...text.slice(0, 2 * detailCharsMax)].slice(0, detailCharsMax - 1).join('')}…`
}
