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
 * @throws {Problem} 429 if a decision may be stored later, 503 if the database is unavailable
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
  readonly pause: (ms: number) => Promise<unknown>
}

/** Maximum number of scores of a transaction, as in the API. */
const scoresAtOnceMax = 500
/** Pauses before the scores without a decision are tried again: storage usually needs less. */
const pausesMs = [200, 500, 1000]
/**
 * How long after a score its span may arrive, and how far the clock of a sender may be ahead. A
 * span is sent up to 5 s after it has ended, and again while the gateway cannot accept it.
 */
const spanDelayMsMax = 60_000
/** After this time, the exporter is asked to wait longer. */
const shortDelayMs = 10_000
const decisionMissing =
  'no decision of the span is stored; check that the span is sent, and not ignored or rejected'
const scopeMissing = 'a score needs an API key with the scope evaluation:write'

export function createPushSpanScores(dependencies: PushSpanScoresDependencies): PushSpanScores {
  const { pushScores, clock, pause } = dependencies

  /** Checks whether storage has not yet stored what arrived shortly after the score. */
  function mayBeStored(at: number, { members }: Problem['options']): boolean {
    if (at > clock.now() + spanDelayMsMax) return false
    const asOf = members?.['as_of']
    return typeof asOf !== 'string' || Date.parse(asOf) < at + spanDelayMsMax
  }

  function isPending({ at }: SpanScore, { code, options }: Problem): boolean {
    return code === 'decision_not_found' && mayBeStored(at, options)
  }

  /** Adds the rejected scores to `rejected`. Returns those whose decision may still be stored. */
  async function store(
    principal: KeyPrincipal,
    scores: readonly SpanScore[],
    rejected: RejectedSpan[]
  ): Promise<SpanScore[]> {
    const pending: SpanScore[] = []
    for (let from = 0; from < scores.length; from += scoresAtOnceMax) {
      const some = scores.slice(from, from + scoresAtOnceMax)
      const bodies = some.map(({ body }) => body)
      for (const [index, { result }] of (await pushScores(principal, bodies)).entries()) {
        const score = some[index] as SpanScore
        if (!(result instanceof Problem)) continue
        if (isPending(score, result)) pending.push(score)
        else rejected.push(rejectedOf(score, result))
      }
    }
    return pending
  }

  return async function pushSpanScores(principal, scores) {
    if (scores.length > 0 && !mayDo(principal, 'evaluation:write')) {
      return scores.map(({ where }) => {
        return { where, fault: 'scope_missing', reason: scopeMissing, records: 1 }
      })
    }
    const rejected: RejectedSpan[] = []
    let pending = await store(principal, scores, rejected)
    for (const ms of pausesMs) {
      if (pending.length === 0) break
      await pause(ms)
      pending = await store(principal, pending, rejected)
    }
    if (pending.length > 0) throw pendingProblem(pending, clock.now())
    return rejected
  }
}

function rejectedOf({ where }: SpanScore, problem: Problem): RejectedSpan {
  const { code, message } = problem
  if (problems[code].retryable) throw problem
  const reason = code === 'decision_not_found' ? decisionMissing : message
  return { where, fault: code, reason, records: 1 }
}

function pendingProblem(pending: readonly SpanScore[], now: number): Problem {
  const isNew = pending.some(({ at }) => now - at < shortDelayMs)
  return new Problem('decision_pending', {
    detail: `The decisions of ${pending.length} scores are not stored yet.`,
    headers: { 'retry-after': isNew ? '2' : '10' }
  })
}
