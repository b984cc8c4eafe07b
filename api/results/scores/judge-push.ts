/** Judges what is pushed, item by item: what of it counts, for which run, or why it does not. */
import { Problem } from '../../../core/problem.ts'
import type { Violation } from '../../../core/problem.ts'
import type { Principal } from '../../../core/principal.ts'
import { sentenceOf } from '../../../auth/checked.ts'
import type { ExternalVersion, PushFacts, ScoredDecision, WaitingRun } from './push-facts.ts'
import { isMeaning, meaningOf } from './pushed-score.ts'
import type { PushedScore } from './pushed-score.ts'
import { pushScoreId } from './write-pushes.ts'
import type { Push, ScoreSource } from './write-pushes.ts'

export const pushesPerDecisionMax = 1000

/** An item as it was sent, with its id, and why it is refused so far. */
export interface PushItem {
  readonly id: string
  readonly given: PushedScore | null
  readonly problem: Problem | null
}

/** What to write; neither a problem nor a push is a score that is there already. */
export interface PushOutcome {
  readonly problem: Problem | null
  readonly push: Push | null
}

export interface JudgePushDependencies {
  readonly facts: PushFacts
  readonly principal: Principal
  /** Of a decision that is not there. */
  readonly missing: () => Problem
  readonly pushedAt: number
}

export type JudgePush = (item: PushItem) => PushOutcome

/** In the order sent: what one item takes is not there for the next. */
export function createJudgePush(dependencies: JudgePushDependencies): JudgePush {
  const { facts, principal, missing, pushedAt } = dependencies
  const taken = new Set<WaitingRun>()
  const known = new Set(facts.known)
  const pushes = new Map(facts.pushes)

  function isOneTooMany({ decision_id }: ScoredDecision): boolean {
    const count = (pushes.get(decision_id) ?? 0) + 1
    pushes.set(decision_id, count)
    return count > pushesPerDecisionMax
  }

  function judgeKnown(id: string, given: PushedScore, decision: ScoredDecision): PushOutcome {
    const waiting = waitingFor(facts, given, taken)
    const version = versionOf(facts, given, waiting)
    if (version instanceof Problem) return refused(version)
    const meaning = meaningOf(given, version?.output ?? null)
    if (!isMeaning(meaning)) return refused(invalidScore(meaning))
    if (waiting === null && isOneTooMany(decision)) return refused(tooManyPushes())
    if (waiting !== null) taken.add(waiting)
    const source = sourceOf(given, principal)
    const push = { id, decision, meaning, source, version, waiting, pushedAt }
    return { problem: null, push }
  }

  return function judgePush({ id, given, problem }) {
    if (given === null) return { problem, push: null }
    if (given.evaluator_id && isFeedbackOnly(principal)) return refused(evaluationIsOthers())
    const decision = facts.decisions.get(given.decision_id.toLowerCase())
    if (decision === undefined) return refused(missing())
    const { organization_id, decision_id } = decision
    const name = `${decision_id}/${pushScoreId(organization_id, decision_id, id)}`
    if (known.has(name)) return { problem: null, push: null }
    const outcome = judgeKnown(id, given, decision)
    if (outcome.push !== null) known.add(name)
    return outcome
  }
}

function refused(problem: Problem): PushOutcome {
  return { problem, push: null }
}

function waitingFor(facts: PushFacts, given: PushedScore, taken: ReadonlySet<WaitingRun>) {
  const found = facts.waiting.find(
    (run) =>
      run.decision_id === given.decision_id.toLowerCase() &&
      run.evaluator_id === given.evaluator_id &&
      !taken.has(run)
  )
  return found ?? null
}

/** The version that the waiting run was planned under, or else the latest. */
function versionOf(
  { versions }: PushFacts,
  { evaluator_id }: PushedScore,
  waiting: WaitingRun | null
): ExternalVersion | null | Problem {
  if (!evaluator_id) return null
  const ofEvaluator = versions.filter((version) => version.evaluator_id === evaluator_id)
  const found = ofEvaluator.find(({ version, is_latest }) =>
    waiting === null ? is_latest : version === waiting.evaluator_version
  )
  if (found === undefined) {
    const detail = `There is no evaluator ${evaluator_id}.`
    const errors = [{ pointer: '/evaluator_id', detail: 'names no evaluator that there is' }]
    return new Problem('evaluator_not_found', { detail, errors })
  }
  if (found.kind === 'external') return found
  const detail = `is of the kind ${found.kind}; scores are pushed for the kind external`
  return invalidScore([{ pointer: '/evaluator_id', detail }])
}

function sourceOf({ source, source_id }: PushedScore, principal: Principal): ScoreSource {
  if (source === 'end_user' || isFeedbackOnly(principal)) {
    return { source_kind: 'end_user', source_id: source_id ?? null }
  }
  return principal.kind === 'session'
    ? { source_kind: 'human', source_id: principal.user_id }
    : { source_kind: 'api', source_id: principal.key_id }
}

/** What such a key brings was said by an end user, whatever it says: it may be in a browser. */
function isFeedbackOnly(principal: Principal): boolean {
  if (principal.kind === 'session') return false
  return !principal.scopes.some((scope) => scope === 'evaluation:write' || scope === 'admin')
}

function evaluationIsOthers(): Problem {
  const detail = 'A key for feedback answers for no evaluator; that needs evaluation:write.'
  const errors = [{ pointer: '/evaluator_id', detail: 'needs the scope evaluation:write' }]
  return new Problem('scope_missing', { detail, errors, members: { scope: 'evaluation:write' } })
}

export function invalidScore(errors: readonly Violation[]): Problem {
  return new Problem('invalid_body', { detail: sentenceOf('The score', errors), errors })
}

function tooManyPushes(): Problem {
  const detail = `A decision takes ${pushesPerDecisionMax} scores that nobody planned.`
  return new Problem('limit_reached', { detail, members: { limit: pushesPerDecisionMax } })
}
