/** GET /v1/ingest/{decision_id}: whether a decision is stored, for the key that sent it. */
import { jsonReply } from '../../http/call.ts'
import type { KeyHandle } from '../../http/route.ts'
import { selectStoredAt } from '../decision-row.ts'
import type { EvaluationReads } from '../read-evaluations.ts'
import type { ReadDependencies } from './read-decision.ts'
import { decisionNotFound, readWatermark } from '../watermark.ts'

export type ReceiptDependencies = Omit<ReadDependencies, keyof EvaluationReads>

export function createReadReceipt(dependencies: ReceiptDependencies): KeyHandle {
  const { store, poll, decisionsTopic, clock } = dependencies

  return async function readReceipt(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decision_id = (call.params['decision_id'] ?? '').toLowerCase()
    const { wait } = call.query as { wait: number }
    const stored_at = await poll(
      () => selectStoredAt(ours, decision_id),
      (found) => found !== null,
      { organizationId: ours.organizationId, waitMs: wait * 1000, signal: call.signal }
    )
    if (stored_at !== null) {
      return jsonReply(200, JSON.stringify({ decision_id, state: 'stored', stored_at }))
    }
    throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
  }
}
