/** POST /v1/evaluation/status: how far the evaluation of many decisions is, in one answer. */
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { selectStoredIds } from '../decision-row.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import type { ReadDependencies } from '../decisions/read-decision.ts'
import type { KnownEvaluation } from '../read-evaluations.ts'
import { readWatermark } from '../watermark.ts'

export function createReadStatuses(
  dependencies: Omit<ReadDependencies, 'poll' | 'readEvaluation'>
): PrincipalHandle {
  const { store, readEvaluations, decisionsTopic, clock } = dependencies

  return async function readStatuses(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const { decision_ids } = call.body as { decision_ids: readonly string[] }
    const ids = [...new Set(decision_ids.map((id) => id.toLowerCase()))]
    // The watermark before the rows: whatever it promises is then among them.
    const { as_of } = await readWatermark(ours, decisionsTopic)
    const stored = await selectStoredIds(ours, ids)
    const retryable = as_of === null || as_of.getTime() < askedAt
    const members: string[] = []
    for await (const [id, known] of readEvaluations(ours, ids)) {
      const isKnown = stored.has(id) || known.plan !== null || known.runs.length > 0
      const status = isKnown ? statusOf(known) : { status: 'unknown', retryable }
      members.push(`"${id}":${JSON.stringify(status)}`)
    }
    return jsonReply(200, `{${members.join(',')}}`)
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
