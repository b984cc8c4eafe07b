/** POST /v1/evaluation/scores: scores that people and programs give, each judged by itself. */
import type { Clock } from '../../../core/clock.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { Problem, problemBody } from '../../../core/problem.ts'
import { mayActAs } from '../../../core/user-role.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Principal } from '../../../core/principal.ts'
import type { PrincipalHandle } from '../../../http/route.ts'
import type { Store } from '../../store.ts'
import { decisionNotFound, readWatermark } from '../../watermark.ts'
import { readPushFacts } from './push-facts.ts'
import type { PushSubjects } from './push-facts.ts'
import { createJudgePush, invalidScore } from './judge-push.ts'
import type { PushItem, PushOutcome } from './judge-push.ts'
import { checkPushedScore } from './pushed-score.ts'
import type { PushedScore } from './pushed-score.ts'
import { pushScoreId, writePushes } from './write-pushes.ts'

export interface PushDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly clock: Clock
}

export const pushesMax = 500

export function createPushScores(dependencies: PushDependencies): PrincipalHandle {
  const push = createPush(dependencies)

  return async function pushScores(call) {
    const { principal } = call
    refuseViewers(principal)
    const { scores } = call.body as { scores: readonly unknown[] }
    const outcomes = await push(principal, scores)
    const results = outcomes.map(({ id, outcome }) => resultOf(id, outcome, call.request_id))
    return jsonReply(200, JSON.stringify({ results }))
  }
}

export type Push = (
  principal: Principal,
  scores: readonly unknown[]
) => Promise<readonly { readonly id: string; readonly outcome: PushOutcome }[]>

/** What becomes of each score, in the order sent. */
export function createPush(dependencies: PushDependencies): Push {
  const { store, decisionsTopic, clock } = dependencies

  return async function push(principal, scores) {
    const askedAt = clock.now()
    const organizationId = principal.organization_id
    const ours = store.of(organizationId)
    const items = scores.map((score) => itemOf(score, askedAt))
    const watermark = await readWatermark(ours, decisionsTopic)
    // An erased decision is answered like one that never was.
    const missing = () => decisionNotFound(watermark, askedAt, clock)
    return await ours.change(async (transaction) => {
      const facts = await readPushFacts(transaction, subjectsOf(organizationId, items))
      const judge = createJudgePush({ facts, principal, missing, pushedAt: askedAt })
      const judged = items.map((item) => ({ id: item.id, outcome: judge(item) }))
      const pushes = judged.flatMap(({ outcome }) => outcome.push ?? [])
      await writePushes(transaction, organizationId, pushes)
      return judged
    })
  }
}

function refuseViewers(principal: Principal): void {
  if (principal.kind === 'api_key' || mayActAs(principal.role, 'member')) return
  const detail = `Your role is ${principal.role}; giving scores needs member.`
  throw new Problem('role_missing', { detail, members: { role: 'member' } })
}

function itemOf(score: unknown, now: number): PushItem {
  const errors = checkPushedScore(score)
  const given = errors.length === 0 ? (score as PushedScore) : null
  const id = given?.id?.toLowerCase() ?? uuidv7(now)
  return { id, given, problem: errors.length === 0 ? null : invalidScore(errors) }
}

function subjectsOf(organizationId: string, items: readonly PushItem[]): PushSubjects {
  const named = items.flatMap(({ id, given }) =>
    given === null ? [] : [{ id, decisionId: given.decision_id.toLowerCase(), given }]
  )
  return {
    organizationId,
    decisionIds: [...new Set(named.map(({ decisionId }) => decisionId))],
    evaluatorIds: [...new Set(named.flatMap(({ given }) => given.evaluator_id ?? []))],
    scoreIds: named.map(({ decisionId, id }) => pushScoreId(organizationId, decisionId, id))
  }
}

function resultOf(id: string, { problem, push }: PushOutcome, requestId: string) {
  if (problem === null) return { id, accepted: true, duplicate: push === null }
  const { type, title, status, detail, code, retryable, errors } = problemBody(problem, requestId)
  return { id, accepted: false, retryable, problem: { type, title, status, detail, code, errors } }
}
