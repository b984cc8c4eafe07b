/** GET /v1/decisions/{decision_id}: one decision, its texts exactly as they were sent. */
import type { Clock } from '../../core/clock.ts'
import type { SessionHandle } from '../../http/route.ts'
import { selectDecision } from '../decision-row.ts'
import type { DecisionRow } from '../decision-row.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import type { Poll } from '../poll.ts'
import { runViewOf } from '../evaluation-run.ts'
import type { EvaluationReads, KnownEvaluation } from '../read-evaluations.ts'
import type { Store } from '../store.ts'
import { taggedReply } from './tagged-reply.ts'
import { isReached, waitOf } from '../wait-until.ts'
import { decisionNotFound, readWatermark } from '../watermark.ts'

export interface ReadDependencies extends EvaluationReads {
  readonly store: Store
  readonly poll: Poll
  readonly decisionsTopic: string
  readonly clock: Clock
}

interface Found {
  readonly decision: DecisionRow
  readonly evaluation: KnownEvaluation
}

export function createReadDecision(dependencies: ReadDependencies): SessionHandle {
  const { store, poll, readEvaluation, decisionsTopic, clock } = dependencies

  return async function readDecision(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decisionId = (call.params['decision_id'] ?? '').toLowerCase()
    const { waitMs, until } = waitOf(call.query)
    let decision: DecisionRow | null = null

    /** The row never changes, so it is read again only while it is not there. */
    async function read(): Promise<Found | null> {
      decision ??= await selectDecision(ours, decisionId)
      if (decision === null) return null
      return { decision, evaluation: await readEvaluation(ours, decisionId) }
    }

    const found = await poll(read, (seen) => seen !== null && isReached(until, seen.evaluation), {
      organizationId: ours.organizationId,
      waitMs,
      signal: call.signal
    })
    if (found !== null) {
      const { include = [] } = call.query as { include?: readonly string[] }
      const text = decisionText(found.decision, found.evaluation, include.includes('runs'))
      return taggedReply(text, call.headers['if-none-match'])
    }
    throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
  }
}

/**
 * The answer's text. `input`, `output` and `metadata` are JSON text already and are put in as they
 * are: parsing and writing them again would round numbers and reorder keys.
 */
export function decisionText(row: DecisionRow, known: KnownEvaluation, withRuns = false): string {
  const { status, verdict, scores } = evaluationViewOf(known)
  const runs = withRuns ? { runs: known.runs.map(runViewOf) } : {}
  const evaluation = { status, verdict, scores, ...runs }
  const members: [string, string][] = [
    ['decision_id', JSON.stringify(row.decision_id)],
    ['received_at', JSON.stringify(row.received_at)],
    ['stored_at', JSON.stringify(row.stored_at)],
    ['input', row.input],
    ['output', row.output],
    ['agent_id', JSON.stringify(row.agent_id)],
    ['session_id', JSON.stringify(row.session_id)],
    ['domain', JSON.stringify(row.domain)],
    ['metadata', row.metadata ?? 'null'],
    ['input_tokens', JSON.stringify(row.input_tokens)],
    ['output_tokens', JSON.stringify(row.output_tokens)],
    ['sdk_version', JSON.stringify(row.sdk_version)],
    ['evaluation', JSON.stringify(evaluation)]
  ]
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`
}
