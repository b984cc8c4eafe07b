/** GET /v1/evaluation/{decision_id}: what was planned for a decision, what became of it, why. */
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { selectStoredAt } from '../decision-row.ts'
import { runViewOf } from '../evaluation-run.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import type { ReadDependencies } from '../decisions/read-decision.ts'
import type { KnownEvaluation } from '../read-evaluations.ts'
import { isReached, waitOf } from '../wait-until.ts'
import { decisionNotFound, readWatermark } from '../watermark.ts'

interface Found extends KnownEvaluation {
  readonly storedAt: Date | null
}

export function createReadEvaluation(dependencies: ReadDependencies): PrincipalHandle {
  const { store, poll, readEvaluation, decisionsTopic, clock } = dependencies

  return async function answerEvaluation(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decisionId = (call.params['decision_id'] ?? '').toLowerCase()
    const { waitMs, until } = waitOf(call.query)
    let storedAt: Date | null = null

    async function read(): Promise<Found> {
      storedAt ??= await selectStoredAt(ours, decisionId)
      return { storedAt, ...(await readEvaluation(ours, decisionId)) }
    }

    const found = await poll(read, (seen) => isKnown(seen) && isReached(until, seen), {
      organizationId: ours.organizationId,
      waitMs,
      signal: call.signal
    })
    if (isKnown(found)) return jsonReply(200, JSON.stringify(evaluationOf(decisionId, found)))
    throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
  }
}

/** Plan and runs may be stored before their decision: the two travel on different topics. */
function isKnown({ storedAt, plan, runs }: Found): boolean {
  return storedAt !== null || plan !== null || runs.length > 0
}

function evaluationOf(decisionId: string, found: Found) {
  const { status, reason, verdict, progress, plan, scores } = evaluationViewOf(found)
  return {
    decision_id: decisionId,
    status,
    reason,
    verdict,
    progress,
    plan,
    runs: found.runs.map(runViewOf),
    scores,
    updated_at: new Date(Math.max(...changesOf(found))).toISOString()
  }
}

/** Moments at which something of it changed, one at least. */
function changesOf({ storedAt, plan, runs }: Found): number[] {
  const ofRuns = runs.map((run) => run.stored_at ?? run.evaluated_at ?? run.started_at)
  return [storedAt, plan?.planned_at ?? null, ...ofRuns].map(Number)
}
