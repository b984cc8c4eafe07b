/** Stores plans, rule sets and pending runs in the same way as the evaluation group. */
import { randomUUID } from 'node:crypto'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { TestDatabase } from '../../support/database.ts'
import type { RunOwner } from './scene.ts'

export interface PendingRun {
  readonly run_id: string
  readonly status: string
  readonly [column: string]: unknown
}

/**
 * Stores a pending run of an external evaluator that waits for its score. `columns` replaces the
 * defaults.
 */
export async function storePendingRun(
  database: TestDatabase,
  { organization_id, decision_id }: RunOwner,
  columns: Record<string, unknown> = {}
): Promise<PendingRun> {
  const now = new Date()
  const row: PendingRun = {
    ...{ organization_id, decision_id, run_id: randomUUID() },
    ...{ rule_id: 'rul_a', rule: 'a', evaluator_id: 'evl_a', evaluator: 'a' },
    ...{ evaluator_kind: 'external', evaluator_version: 1, generation: 0 },
    ...{ received_at: now, status: 'scheduled', attempts: 0, max_attempts: 8 },
    ...{ scheduled_at: now, next_attempt_at: now, expires_at: new Date(+now + 86_400_000) },
    ...columns
  }
  await database.query(
    `insert into pending_runs select * from json_populate_record(null::pending_runs, $1)`,
    [JSON.stringify(row)]
  )
  return row
}

/** Returns the columns of a finished run that is neither published nor stored yet. */
export function finished(run: LaterRun): Record<string, unknown> {
  const { run_id, rule, evaluator, evaluator_kind, evaluator_version, generation } = run
  return {
    ...{ run_id, rule, evaluator, evaluator_kind, evaluator_version, generation },
    ...{ rule_id: run.rule_id ?? rule, evaluator_id: run.evaluator_id ?? evaluator },
    ...{ status: 'finished', result: JSON.stringify(run), finished_at: new Date() }
  }
}

export async function storePlan(
  database: TestDatabase,
  { organization_id, decision_id }: RunOwner,
  plan: {
    version: number
    outcomes: readonly string[]
    runs: number
    received_at?: Date
    planned_at?: Date
  }
): Promise<void> {
  const { version, outcomes, runs, received_at = new Date(), planned_at = new Date() } = plan
  await database.query(
    `insert into evaluation_plans (organization_id, decision_id, received_at, rule_set_version,
                                   outcomes, runs, planned_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [organization_id, decision_id, received_at, version, outcomes, runs, planned_at]
  )
}

/** Stores a rule set with one rule per name. Each rule has one evaluator of the same name. */
export async function storeRuleSet(
  database: TestDatabase,
  organizationId: string,
  { version, names }: { version: number; names: readonly string[] }
): Promise<void> {
  const rules = names.map((name) => ({
    ...{ rule_id: `rul_${name}`, name, ttl_seconds: 3600, max_attempts: 5 },
    evaluators: [{ evaluator_id: `evl_${name}`, name, kind: 'external', version: 1 }]
  }))
  await database.query(
    `insert into rule_sets (organization_id, version, content, created_by)
     values ($1, $2, $3, 'test')`,
    [organizationId, version, JSON.stringify({ version, rules })]
  )
}
