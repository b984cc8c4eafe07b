/** POST /v1/decisions/{decision_id}/feedback: what a person thinks of a decision, as a score. */
import { Problem } from '../../core/problem.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { createPush } from '../results/scores/push-scores.ts'
import type { PushDependencies } from '../results/scores/push-scores.ts'
import { invalidScore } from '../results/scores/judge-push.ts'

interface Feedback {
  readonly name?: string
  readonly user_id?: string
  readonly id?: string
  readonly value?: number | boolean
  readonly label?: string
  readonly passed?: boolean
  readonly reason?: string
}

export const feedbackNameDefault = 'user_feedback'

/** Under the id of an end user it is his, and else that of whoever is logged in. */
export function createGiveFeedback(dependencies: PushDependencies): SessionHandle {
  const push = createPush(dependencies)

  return async function giveFeedback(call) {
    const { name = feedbackNameDefault, user_id, ...said } = call.body as Feedback
    if ([said.value, said.label, said.passed].every((member) => member === undefined)) {
      throw invalidScore([{ pointer: '/value', detail: 'is required, or label, or passed' }])
    }
    const decision_id = call.params['decision_id'] ?? ''
    const source = user_id === undefined ? {} : { source: 'end_user', source_id: user_id }
    const [given] = await push(call.principal, [{ ...said, name, decision_id, ...source }])
    const problem = given?.outcome.problem ?? null
    if (given === undefined || problem !== null)
      throw problem ?? new Problem('internal_error', lost)
    const { id, outcome } = given
    return jsonReply(201, JSON.stringify({ id, name, duplicate: outcome.push === null }))
  }
}

const lost = { detail: 'The score was not judged.' }
