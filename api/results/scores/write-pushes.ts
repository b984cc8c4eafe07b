/** Pushed scores as runs that have ended: they are published and stored like any other. */
import { bareRun } from '../../../core/evaluation/evaluation.ts'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import { runIdOf, scoreIdOf } from '../../../core/ids/run-id.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { scoreOf } from '../../../evaluators/score-of.ts'
import { createInsertRows } from '../../../platform/postgres/insert-rows.ts'
import type { Column } from '../../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { ExternalVersion, ScoredDecision, WaitingRun } from './push-facts.ts'
import type { Meaning } from './pushed-score.ts'

/** Who says so. */
export interface ScoreSource {
  readonly source_kind: 'api' | 'human' | 'end_user'
  readonly source_id: string | null
}

export interface Push {
  /** The caller's, or one that was made. */
  readonly id: string
  readonly decision: ScoredDecision
  readonly meaning: Meaning
  readonly source: ScoreSource
  /** Null for a score of any name. */
  readonly version: ExternalVersion | null
  /** The run that waited for it; null when nobody did. */
  readonly waiting: WaitingRun | null
  /** Milliseconds since 1970. */
  readonly pushedAt: number
}

/** The run that a push makes where none waits for it. */
function pushRunId(organizationId: string, decisionId: string, id: string): string {
  const identity = { organization_id: organizationId, decision_id: decisionId }
  return runIdOf({ ...identity, rule_id: pushRuleId, evaluator_id: id, version: 0, generation: 0 })
}

/** Of the push alone, whether a run waited for it or not: a retry finds it. */
export function pushScoreId(organizationId: string, decisionId: string, id: string): string {
  return scoreIdOf(pushRunId(organizationId, decisionId, id), pushRuleId)
}

export async function writePushes(
  transaction: Queryable,
  organizationId: string,
  given: readonly Push[]
): Promise<void> {
  const pushes = inTurn(given)
  await insertEnded(
    transaction,
    pushes.filter(({ waiting }) => waiting === null)
  )
  const answered = pushes.filter(({ waiting }) => waiting !== null)
  if (answered.length === 0) return
  await transaction.query(
    `update open_runs o
        set status = 'finished', status_reason = null, attempts = o.attempts + 1,
            result = given.result, finished_at = given.finished_at
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[])
            as given (decision_id, run_id, result, finished_at)
      where o.organization_id = $1 and o.decision_id = given.decision_id
        and o.run_id = given.run_id and o.status <> 'finished'`,
    [
      organizationId,
      answered.map(({ decision }) => decision.decision_id),
      answered.map((push) => runOf(push).run_id),
      answered.map((push) => JSON.stringify(runOf(push))),
      answered.map(({ pushedAt }) => new Date(pushedAt))
    ]
  )
}

/**
 * Of a name and source that one call gives several times, the last is the newest: those before it
 * are a millisecond older each, so that whatever orders by time finds them as they were sent.
 */
function inTurn(pushes: readonly Push[]): readonly Push[] {
  const later = new Map<string, number>()
  const newestFirst = pushes.toReversed().map((push) => {
    const { decision, meaning, source } = push
    const key = [decision.decision_id, source.source_kind, meaning.output.name].join('/')
    const after = later.get(key) ?? 0
    later.set(key, after + 1)
    return { ...push, pushedAt: push.pushedAt - after }
  })
  return newestFirst.toReversed()
}

const dayMs = 86_400_000

const columns: readonly Column<Push>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['run_id', 'uuid', (push) => runOf(push).run_id],
  ['rule_id', 'text', () => pushRuleId],
  ['rule', 'text', () => pushRuleId],
  ['evaluator_id', 'text', ({ version }) => version?.evaluator_id ?? pushRuleId],
  ['evaluator', 'text', (push) => runOf(push).evaluator],
  ['evaluator_kind', 'text', (push) => runOf(push).evaluator_kind],
  ['evaluator_version', 'integer', (push) => runOf(push).evaluator_version],
  ['received_at', 'timestamptz', ({ decision }) => new Date(decision.received_at)],
  ['agent_id', 'text', ({ decision }) => decision.agent_id],
  ['session_id', 'text', ({ decision }) => decision.session_id],
  ['domain', 'text', ({ decision }) => decision.domain],
  ['status', 'text', () => 'finished'],
  ['attempts', 'integer', () => 1],
  ['expires_at', 'timestamptz', ({ pushedAt }) => new Date(pushedAt + dayMs)],
  ['result', 'text', (push) => JSON.stringify(runOf(push))],
  ['finished_at', 'timestamptz', ({ pushedAt }) => new Date(pushedAt)]
]

const insertEnded = createInsertRows('open_runs', columns, { tail: 'on conflict do nothing' })

function runOf(push: Push): LaterRun {
  const { id, decision, meaning, source, version, waiting } = push
  const { organization_id, decision_id } = decision
  const ownRunId = pushRunId(organization_id, decision_id, id)
  const { finding, output } = meaning
  const score = {
    ...scoreOf(ownRunId, output, finding),
    ...source,
    score_id: pushScoreId(organization_id, decision_id, id),
    reason: finding.reason === '' ? null : finding.reason
  }
  return {
    ...bareRun,
    ...originOf(waiting, ownRunId),
    ...evaluatorOf(version, { name: output.name, source }),
    status: 'succeeded',
    status_reason: null,
    duration_us: null,
    scores: [score]
  }
}

function evaluatorOf(
  version: ExternalVersion | null,
  { name, source }: { name: string; source: ScoreSource }
) {
  if (version === null) {
    const evaluator_kind = source.source_kind === 'api' ? 'external' : 'human'
    return { evaluator_id: null, evaluator: name, evaluator_kind, evaluator_version: 0 }
  }
  const { evaluator_id, name: evaluator, kind, version: number, config_hash } = version
  const named = { evaluator_id, evaluator, evaluator_kind: kind, evaluator_version: number }
  return { ...named, config_hash }
}

function originOf(waiting: WaitingRun | null, run_id: string) {
  if (waiting === null) {
    return { run_id, rule_id: pushRuleId, rule: pushRuleId, generation: 0, attempts: 1 }
  }
  const { rule_id, rule, generation, replay_of, attempts, scheduled_at } = waiting
  return {
    ...{ run_id: waiting.run_id, rule_id, rule, generation, replay_of },
    ...{ attempts: attempts + 1, scheduled_at: scheduled_at.getTime() }
  }
}
