/** GET /v1/evaluation/{decision_id}/scores: the scores of one decision, as a list. */
import { jsonReply } from '../../../http/call.ts'
import type { PrincipalHandle } from '../../../http/route.ts'
import { selectStoredAt } from '../../decision-row.ts'
import { newestFirst } from '../../evaluation-run.ts'
import type { EvaluationRun } from '../../evaluation-run.ts'
import type { ReadDependencies } from '../../decisions/read-decision.ts'
import { scoreViewOf } from '../../score-entry.ts'
import type { ScoreView } from '../../score-entry.ts'
import { decisionNotFound, readWatermark } from '../../watermark.ts'

interface ScoresQuery {
  readonly name?: string
  readonly source?: string
  readonly history: boolean
}

export function createReadDecisionScores(
  dependencies: Omit<ReadDependencies, 'poll'>
): PrincipalHandle {
  const { store, readEvaluation, decisionsTopic, clock } = dependencies

  return async function readDecisionScores(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decisionId = (call.params['decision_id'] ?? '').toLowerCase()
    const { name, source, history } = call.query as unknown as ScoresQuery
    const storedAt = await selectStoredAt(ours, decisionId)
    const { plan, runs } = await readEvaluation(ours, decisionId)
    if (storedAt === null && plan === null && runs.length === 0) {
      throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
    }
    const wanted = namedScoresOf(runs).filter(
      (score) =>
        (name === undefined || score.name === name) &&
        (source === undefined || score.source_kind === source)
    )
    const data = (history ? wanted : newestOf(wanted)).map((score) => ({
      decision_id: decisionId,
      ...score
    }))
    return jsonReply(200, JSON.stringify({ data }))
  }
}

type NamedScore = ScoreView & { readonly name: string; readonly superseded_by: string | null }

/** The newest first. */
function namedScoresOf(runs: readonly EvaluationRun[]): readonly NamedScore[] {
  return newestFirst(runs).flatMap((run) =>
    run.scores.map((score) => {
      const { superseded_by } = run
      return { name: score.name, ...scoreViewOf(run, score), superseded_by }
    })
  )
}

/** Of each name and source, unless a replay has taken its place. */
function newestOf(scores: readonly NamedScore[]): readonly NamedScore[] {
  const current = scores.filter(({ superseded_by }) => superseded_by === null)
  const groups = Map.groupBy(current, ({ name, source_kind }) => `${source_kind}/${name}`)
  return [...groups.values()].flatMap((group) => group.slice(0, 1))
}
