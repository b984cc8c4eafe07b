/** Inserts the pending runs of a plan: judge calls, and runs that wait for a pushed score. */
import type { Decision } from '../../core/decision/decision.ts'
import { runIdOf } from '../../core/ids/run-id.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'

interface NewPendingRun extends PlannedRun {
  readonly decision: Decision
  /** Start of the run's time to live, in milliseconds since 1970. */
  readonly openedAt: number
}

const firstGeneration = 0
const secondMs = 1000

const columns: readonly Column<NewPendingRun>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['run_id', 'uuid', firstRunIdOf],
  ['rule_id', 'text', ({ rule }) => rule.rule_id],
  ['rule', 'text', ({ rule }) => rule.name],
  ['evaluator_id', 'text', ({ evaluator }) => evaluator.evaluator_id],
  ['evaluator', 'text', ({ evaluator }) => evaluator.name],
  ['evaluator_kind', 'text', ({ evaluator }) => evaluator.kind],
  ['evaluator_version', 'integer', ({ evaluator }) => evaluator.version],
  ['connection_id', 'text', ({ evaluator }) => evaluator.config['connection_id'] ?? null],
  ['received_at', 'timestamptz', ({ decision }) => new Date(decision.received_at)],
  ['agent_id', 'text', ({ decision }) => decision.agent_id],
  ['session_id', 'text', ({ decision }) => decision.session_id],
  ['domain', 'text', ({ decision }) => decision.domain],
  ['status', 'text', () => 'scheduled'],
  ['max_attempts', 'integer', ({ rule }) => rule.max_attempts],
  [
    'expires_at',
    'timestamptz',
    ({ rule, openedAt }) => new Date(openedAt + rule.ttl_seconds * secondMs)
  ],
  ['budget', 'text', ({ rule }) => JSON.stringify(rule.budget)]
]

/**
 * Inserts pending runs. Call this in the transaction that stores the plan. Keeps existing rows,
 * because a run can remain after its plan was deleted.
 */
export const insertPendingRuns = createInsertRows('pending_runs', columns, {
  tail: 'on conflict do nothing'
})

function firstRunIdOf({ decision, rule, evaluator }: NewPendingRun): string {
  const { organization_id, decision_id } = decision
  const { rule_id } = rule
  const { evaluator_id, version } = evaluator
  const origin = { organization_id, decision_id, rule_id, evaluator_id, version }
  return runIdOf({ ...origin, generation: firstGeneration })
}
