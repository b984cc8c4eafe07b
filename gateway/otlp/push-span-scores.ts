/** Stores the scores of evaluated spans, as the API stores pushed scores. */
import { mayDo } from '../../auth/authenticate.ts'
import type { PushedResult } from '../../api/results/scores/push-scores.ts'
import type { Clock } from '../../core/clock.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { Problem, problems } from '../../core/problem.ts'
import type { SpanScore } from './log-records.ts'
import type { RejectedSpan } from './read-spans.ts'

/**
 * Stores the scores and returns the rejected ones.
 * @throws {Problem} 503 if a decision may be stored later
 */
export type PushSpanScores = (
  principal: KeyPrincipal,
  scores: readonly SpanScore[]
) => Promise<RejectedSpan[]>

interface PushSpanScoresDependencies {
  readonly pushScores: (
    principal: KeyPrincipal,
    scores: readonly SpanScore['body'][]
  ) => Promise<readonly PushedResult[]>
  readonly clock: Clock
}

/** Maximum number of scores of a transaction, as in the API. */
const scoresAtOnceMax = 500
/**
 * How long after a score its span may arrive, and how far the clock of a sender may be ahead. A
 * span is sent up to 5 s after it has ended, and most exporters give up after 10 s.
 */
const spanDelayMsMax = 10_000
const decisionMissing =
  'no decision of the span is stored; check that the span is sent, and not ignored or rejected'
const scopeMissing = 'a score needs an API key with the scope evaluation:write'

export function createPushSpanScores({
  pushScores,
  clock
}: PushSpanScoresDependencies): PushSpanScores {
  /** Checks whether storage has not yet stored what arrived shortly after the score. */
  function mayBeStored(at: number, members: Problem['options']['members']): boolean {
    if (at > clock.now() + spanDelayMsMax) return false
    const asOf = members?.['as_of']
    return typeof asOf !== 'string' || Date.parse(asOf) < at + spanDelayMsMax
  }

  function reject({ where, at }: SpanScore, problem: Problem): RejectedSpan {
    const { code, message, options } = problem
    if (code === 'decision_not_found' && mayBeStored(at, options.members)) throw notStoredYet
    if (problems[code].retryable) throw problem
    const reason = code === 'decision_not_found' ? decisionMissing : message
    return { where, fault: code, reason, records: 1 }
  }

  return async function pushSpanScores(principal, scores) {
    if (scores.length > 0 && !mayDo(principal, 'evaluation:write')) {
      return scores.map(({ where }) => {
        return { where, fault: 'scope_missing', reason: scopeMissing, records: 1 }
      })
    }
    const rejected: RejectedSpan[] = []
    for (let from = 0; from < scores.length; from += scoresAtOnceMax) {
      const some = scores.slice(from, from + scoresAtOnceMax)
      const results = await pushScores(
        principal,
        some.map(({ body }) => body)
      )
      for (const [index, { result }] of results.entries()) {
        if (result instanceof Problem) rejected.push(reject(some[index] as SpanScore, result))
      }
    }
    return rejected
  }
}

const notStoredYet = new Problem('overloaded', {
  detail: 'The decision of a score is not stored yet. Retry shortly.',
  headers: { 'retry-after': '2' }
})
