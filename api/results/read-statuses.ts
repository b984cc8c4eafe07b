/** POST /v1/evaluation/status: how far the evaluation of many decisions is, in one answer. */
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { selectStoredIds } from '../decision-row.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import type { ReadDependencies } from '../decisions/read-decision.ts'
import type { KnownEvaluation } from '../read-evaluations.ts'
import { readWatermark } from '../watermark.ts'

export function createReadStatuses(dependencies: Omit<ReadDependencies, 'poll'>): PrincipalHandle {
  const { store, readEvaluations, decisionsTopic, clock } = dependencies

  return async function readStatuses(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const { decision_ids } = call.body as { decision_ids: readonly string[] }
    const ids = [...new Set(decision_ids.map((id) => id.toLowerCase()))]
    // The watermark before the rows: whatever it promises is then among them.
    const { as_of } = await readWatermark(ours, decisionsTopic)
    const stored = await selectStoredIds(ours, ids)
    const evaluationOf = await readEvaluations(ours, ids)
    const retryable = as_of === null || as_of.getTime() < askedAt
    const entries = ids.map((id) => {
      const known = evaluationOf(id)
      const isKnown = stored.has(id) || known.plan !== null || known.runs.length > 0
      return [id, isKnown ? statusOf(known) : { status: 'unknown', retryable }] as const
    })
    return jsonReply(200, JSON.stringify(Object.fromEntries(entries)))
  }
}

function statusOf(known: KnownEvaluation) {
  const { status, reason, verdict, progress, scores } = evaluationViewOf(known)
  const brief = Object.entries(scores).map(([name, score]) => {
    const { effective_value: value, effective_passed: passed, effective_source: source } = score
    return [name, { value, passed, source }] as const
  })
  return { status, reason, verdict, progress, scores: Object.fromEntries(brief) }
}
