/** store: what was planned for each decision, with the runs that wait, in one transaction. */
import type { Clock } from '../../core/clock.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision, DecisionIdentity } from '../../core/decision/decision.ts'
import { isOfflineKind, offlineKinds } from '../../core/evaluation/evaluator-definition.ts'
import { plannedRunsOf } from '../../evaluators/planning/plan-rules.ts'
import type { PlannedRun, RuleOutcome } from '../../evaluators/planning/plan-rules.ts'
import { findErased } from '../../store/find-erased.ts'
import { findTombstones } from '../../store/find-tombstones.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import { recordConsumed } from '../record-consumed.ts'
import type { Consumption } from '../record-consumed.ts'
import { openRuns } from './open-runs.ts'
import type { AddJobs } from './open-runs.ts'
import type { LoadedRuleSet } from './rule-sets.ts'

/** What the rules make of a decision, before anybody knows whether it was planned already. */
export interface Plan {
  readonly decision: Decision
  readonly loaded: LoadedRuleSet
  readonly outcomes: readonly RuleOutcome[]
}

/**
 * `planned`: by the plan that was given. `repeated`: this very message was planned before, and
 * what was made of it is not all stored yet. `duplicate`: there is nothing to do any more, or
 * another message with this id was planned. `erased`: nothing may be made of it.
 */
export type StoredPlan =
  | { readonly kind: 'planned' | 'duplicate' | 'erased' }
  | { readonly kind: 'repeated'; readonly version: number; readonly outcomes: readonly string[] }

export interface StorePlansDependencies {
  readonly postgres: Postgres
  readonly addJobs: AddJobs
  readonly clock: Clock
}

/**
 * Returns one result per plan, in their order.
 * @param consumption null for deferred decisions, which are no batch
 */
export type StorePlans = (
  plans: readonly Plan[],
  consumption: Consumption | null
) => Promise<readonly StoredPlan[]>

interface PlanRow extends Record<string, unknown> {
  readonly organization_id: string
  readonly decision_id: string
  readonly received_at: Date
  readonly rule_set_version: number
  readonly outcomes: readonly string[]
  /** Whether what ends within a batch is: it is published as one. */
  readonly is_stored: boolean
}

/** The first plan of a decision is its plan, whatever the rules say when it comes again. */
export function createStorePlans(dependencies: StorePlansDependencies): StorePlans {
  const { postgres, addJobs, clock } = dependencies

  return function storePlans(plans, consumption) {
    return postgres.transaction(async (transaction) => {
      if (consumption !== null) await recordConsumed(transaction, consumption)
      const isGone = await findGone(transaction, plans)
      const alive = plans.filter(({ decision }) => !isGone(decision))
      const inserted = new Set((await insertPlans(transaction, alive)).map(identityNameOf))
      const planned = takeFirst(alive, inserted)
      const waiting = [...planned].flatMap((plan) => waitingRunsOf(plan, clock.now()))
      await openRuns(transaction, waiting, addJobs)
      const others = alive.filter((plan) => !inserted.has(identityNameOf(plan.decision)))
      const earlier = await readEarlier(transaction, others)
      return plans.map((plan): StoredPlan => {
        if (isGone(plan.decision)) return { kind: 'erased' }
        if (planned.has(plan)) return { kind: 'planned' }
        return earlierOf(plan.decision, earlier, { isMessage: consumption !== null })
      })
    })
  }
}

async function findGone(transaction: Queryable, plans: readonly Plan[]) {
  const decisions = plans.map(({ decision }) => decision)
  const isErased = await findErased(transaction, decisions)
  const tombstones = await findTombstones(transaction, decisions)
  return (decision: Decision) => isErased(decision) || tombstones.has(identityNameOf(decision))
}

const columns: readonly Column<Plan>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['received_at', 'timestamptz', ({ decision }) => new Date(decision.received_at)],
  ['rule_set_version', 'integer', ({ loaded }) => loaded.ruleSet.version],
  ['outcomes', 'text[]', ({ outcomes }) => `{${outcomes.join(',')}}`],
  ['runs', 'integer', ({ loaded, outcomes }) => plannedRunsOf(loaded.ruleSet, outcomes).length]
]

const insertRows = createInsertRows('evaluation_plans', columns, {
  tail: 'on conflict do nothing returning organization_id, decision_id'
})

function insertPlans(transaction: Queryable, plans: readonly Plan[]) {
  return insertRows<DecisionIdentity>(transaction, plans)
}

/** A batch may hold the same decision twice; the first is the one whose plan was inserted. */
function takeFirst(plans: readonly Plan[], inserted: ReadonlySet<string>): ReadonlySet<Plan> {
  const firsts = new Map<string, Plan>()
  for (const plan of plans) {
    const name = identityNameOf(plan.decision)
    if (inserted.has(name) && !firsts.has(name)) firsts.set(name, plan)
  }
  return new Set(firsts.values())
}

function waitingRunsOf({ decision, loaded, outcomes }: Plan, openedAt: number) {
  return plannedRunsOf(loaded.ruleSet, outcomes)
    .filter((run) => !isOffline(run))
    .map((run) => ({ ...run, decision, openedAt }))
}

export function isOffline({ evaluator }: PlannedRun): boolean {
  return isOfflineKind(evaluator.kind)
}

/**
 * Of a plan `p`, with the offline kinds as the third parameter.
 * @param also a condition on rows `e` of evaluations, such as on which days they are
 */
export const isStored = (also = 'true'): string => `(exists (select from evaluations e
                     where e.organization_id = p.organization_id
                       and e.decision_id = p.decision_id and e.run_kinds is not null
                       and ${also})
              or exists (select from later_runs r
                          where r.organization_id = p.organization_id
                            and r.decision_id = p.decision_id and r.generation = 0
                            and r.evaluator_kind = any ($3::text[])))`

/** Of decisions that were planned before this batch. */
async function readEarlier(transaction: Queryable, plans: readonly Plan[]) {
  if (plans.length === 0) return new Map<string, PlanRow>()
  const rows = await transaction.query<PlanRow>(
    `select p.organization_id, p.decision_id, p.received_at, p.rule_set_version, p.outcomes,
            ${isStored()} as is_stored
       from evaluation_plans p
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)`,
    [
      plans.map(({ decision }) => decision.organization_id),
      plans.map(({ decision }) => decision.decision_id),
      offlineKinds
    ]
  )
  return new Map(rows.map((row) => [identityNameOf(row), row]))
}

/**
 * Whether this message was planned before, and not a retry or another decision with its id. A
 * deferred decision is read from the table, so it replaces whichever copy was planned.
 */
function earlierOf(
  decision: Decision,
  earlier: ReadonlyMap<string, PlanRow>,
  { isMessage }: { isMessage: boolean }
): StoredPlan {
  const row = earlier.get(identityNameOf(decision))
  if (row === undefined || row.is_stored) return { kind: 'duplicate' }
  if (isMessage && row.received_at.getTime() !== decision.received_at) return { kind: 'duplicate' }
  return { kind: 'repeated', version: row.rule_set_version, outcomes: row.outcomes }
}
