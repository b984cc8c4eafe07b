/** Opens runs that do not end with the batch: judges wait for their turn, pushed scores come. */
import type { Decision } from '../../core/decision/decision.ts'
import type { RunKey } from '../../core/evaluation/evaluation.ts'
import { runIdOf } from '../../core/ids/run-id.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** A planned run beside its decision. */
export interface RunToOpen extends PlannedRun {
  readonly decision: Decision
  /** Milliseconds since 1970; its time to live begins here. */
  readonly openedAt: number
}

/** Puts runs into the queue; the jobs are there when the transaction commits. */
export type AddJobs = (
  transaction: Queryable,
  jobs: readonly { readonly key: RunKey }[]
) => Promise<void>

const firstGeneration = 0
const secondMs = 1000

const columns: readonly Column<RunToOpen>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['run_id', 'uuid', (run) => keyOf(run).run_id],
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
  ['queued_at', 'timestamptz', (run) => (isCalled(run) ? new Date(run.openedAt) : null)],
  ['budget', 'text', ({ rule }) => JSON.stringify(rule.budget)]
]

/** A run may outlive its plan, so one that is open already stays as it is. */
const insertRuns = createInsertRows('open_runs', columns, { tail: 'on conflict do nothing' })

/** In the transaction that stores their plan. */
export async function openRuns(
  transaction: Queryable,
  runs: readonly RunToOpen[],
  addJobs: AddJobs
): Promise<void> {
  await insertRuns(transaction, runs)
  const called = runs.filter(isCalled)
  if (called.length === 0) return
  await addJobs(
    transaction,
    called.map((run) => ({ key: keyOf(run) }))
  )
}

/** The others wait for somebody who pushes a score. */
function isCalled({ evaluator }: PlannedRun): boolean {
  return evaluator.kind === 'llm_judge'
}

function keyOf({ decision, rule, evaluator }: RunToOpen): RunKey {
  const { organization_id, decision_id } = decision
  const { rule_id } = rule
  const { evaluator_id, version } = evaluator
  const origin = { organization_id, decision_id, rule_id, evaluator_id, version }
  const run_id = runIdOf({ ...origin, generation: firstGeneration })
  return { organization_id, decision_id, run_id }
}
