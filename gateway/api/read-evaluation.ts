/** GET /v1/evaluation/{decision_id}: what was planned for a decision, what became of it, why. */
import { evaluationProgressOf } from '../../core/evaluation-status.ts'
import { jsonReply } from '../call.ts'
import type { PrincipalHandle } from '../route.ts'
import { selectStoredAt } from './decision-row.ts'
import { evaluationViewOf, scoresByName } from './evaluation-view.ts'
import type { ReadDependencies } from './read-decision.ts'
import { readRuns } from './read-runs.ts'
import type { StoredRun } from './read-runs.ts'
import { isReached, waitOf } from './wait-until.ts'
import { decisionNotFound, readWatermark } from './watermark.ts'

interface Found {
  readonly storedAt: Date | null
  readonly runs: readonly StoredRun[]
}

export function createReadEvaluation(dependencies: ReadDependencies): PrincipalHandle {
  const { store, poll, decisionsTopic, clock } = dependencies

  return async function readEvaluation(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decisionId = (call.params['decision_id'] ?? '').toLowerCase()
    const { waitMs, until } = waitOf(call.query)
    let storedAt: Date | null = null

    async function read(): Promise<Found> {
      storedAt ??= await selectStoredAt(ours, decisionId)
      const runs = await readRuns(ours, [decisionId])
      return { storedAt, runs: runs.get(decisionId) ?? [] }
    }

    const found = await poll(read, (seen) => isKnown(seen) && isReached(until, seen.runs), {
      waitMs,
      signal: call.signal
    })
    if (isKnown(found)) return jsonReply(200, JSON.stringify(evaluationOf(decisionId, found)))
    throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
  }
}

/** Runs may be stored before their decision: the two travel on different topics. */
function isKnown({ storedAt, runs }: Found): boolean {
  return storedAt !== null || runs.length > 0
}

function evaluationOf(decisionId: string, { storedAt, runs }: Found) {
  const { status, reason, verdict, currentRuns } = evaluationViewOf(runs)
  const changes = [...(storedAt === null ? [] : [storedAt]), ...runs.map((run) => run.stored_at)]
  return {
    decision_id: decisionId,
    status,
    reason,
    verdict,
    progress: evaluationProgressOf(currentRuns),
    plan: currentRuns.map(planEntryOf),
    runs: runs.map(runViewOf),
    scores: scoresByName(currentRuns),
    updated_at: new Date(Math.max(...changes.map(Number))).toISOString()
  }
}

function planEntryOf({ rule, evaluator, status, status_reason }: StoredRun) {
  return { rule, evaluator, outcome: status, reason: status_reason }
}

function runViewOf({ scores, stored_at: _, ...run }: StoredRun) {
  return { ...run, scores: scores.map((score) => score.name) }
}
