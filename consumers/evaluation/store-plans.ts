/** Stores plans of decisions and inserts their pending runs, in one transaction.
 *
 * An inline plan is published with its runs, and storage writes both to one row. If the message is
 * redelivered before storage has done so, the decision is planned again, and storage keeps the
 * first record.
 */
import type { Clock } from '../../core/clock.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision, DecisionIdentity } from '../../core/decision/decision.ts'
import { isOfflineKind } from '../../core/evaluation/evaluator-definition.ts'
import type { PlannedRun, RulePlan } from '../../evaluators/planning/plan-rules.ts'
import { lockCorrectionsShared } from '../../store/correction-lock.ts'
import { findErased } from '../../store/find-erased.ts'
import { findIdentities, identityArrays } from '../../store/find-identities.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Postgres, Queryable, Row } from '../../platform/postgres/postgres.ts'
import { recordConsumed } from '../record-consumed.ts'
import type { Consumption } from '../record-consumed.ts'
import { insertPendingRuns } from './insert-pending-runs.ts'

/** A new plan according to the current rules. The decision may already have a stored plan. */
export interface Plan {
  readonly decision: Decision
  readonly rulePlan: RulePlan
}

/**
 * Result of storing a plan.
 * - `planned`: the new plan is in effect.
 * - `repeated`: this message was planned before, and no packed runs of it are stored.
 * - `duplicate`: the packed runs are stored, or another message with this ID was planned.
 * - `erased`: the decision must not be evaluated.
 */
export type StoredPlan =
  | { readonly kind: 'planned' | 'duplicate' | 'erased' }
  | { readonly kind: 'repeated'; readonly version: number; readonly outcomes: readonly string[] }

interface StorePlansDependencies {
  readonly postgres: Postgres
  readonly clock: Clock
}

/**
 * Returns one result per plan, in the order of the plans.
 * @param consumption the position to record; null for deferred decisions, which do not come from a
 * batch
 */
export type StorePlans = (
  plans: readonly Plan[],
  consumption: Consumption | null
) => Promise<readonly StoredPlan[]>

/** Keeps the first plan of a decision, even if the rules change before a redelivery. */
export function createStorePlans(dependencies: StorePlansDependencies): StorePlans {
  const { postgres, clock } = dependencies

  return function storePlans(plans, consumption) {
    return postgres.transaction(async (transaction) => {
      if (consumption !== null) await recordConsumed(transaction, consumption)
      const { isGone, isCopy } = await findStored(transaction, plans)
      const alive = plans.filter(({ decision }) => !isGone(decision) && !isCopy(decision))
      const known = await readKnown(transaction, alive)
      const fresh = firstOf(alive.filter((plan) => !known.has(nameOf(plan))))
      const waiting = fresh.filter(({ rulePlan }) => !isInline(rulePlan))
      const rows = await insertPlans<DecisionIdentity & Row>(transaction, waiting)
      const inserted = new Set(rows.map(identityNameOf))
      const planned = new Set(
        fresh.filter((plan) => isInline(plan.rulePlan) || inserted.has(nameOf(plan)))
      )
      const opened = waiting.filter((plan) => planned.has(plan))
      const runs = opened.flatMap((plan) => waitingRunsOf(plan, clock.now()))
      await insertPendingRuns(transaction, runs)
      // Reads plans that another process has inserted since the first read.
      const late = await readKnown(
        transaction,
        waiting.filter((plan) => !planned.has(plan))
      )
      return plans.map((plan): StoredPlan => {
        if (isGone(plan.decision)) return { kind: 'erased' }
        if (planned.has(plan)) return { kind: 'planned' }
        const row = known.get(nameOf(plan)) ?? late.get(nameOf(plan))
        return earlierOf(plan.decision, row, { isMessage: consumption !== null })
      })
    })
  }
}

function nameOf({ decision }: Plan): string {
  return identityNameOf(decision)
}

/**
 * Finds erased decisions and copies. If copies of a decision have different times, only the stored
 * copy is evaluated.
 */
async function findStored(transaction: Queryable, plans: readonly Plan[]) {
  const decisions = plans.map(({ decision }) => decision)
  const isErased = await findErased(transaction, decisions)
  // Takes this lock, because storage may concurrently reject a decision for which this transaction
  // inserts a plan.
  if (!plans.every(({ rulePlan }) => isInline(rulePlan))) await lockCorrectionsShared(transaction)
  const identities = await findIdentities(transaction, decisions)
  const stored = (decision: Decision) => identities.get(identityNameOf(decision))
  return {
    isGone: (decision: Decision) => isErased(decision) || stored(decision)?.is_erased === true,
    isCopy: (decision: Decision) =>
      (stored(decision)?.received_at ?? decision.received_at) !== decision.received_at
  }
}

/** Returns the first plan of each decision, because a batch may contain a decision twice. */
function firstOf(plans: readonly Plan[]): readonly Plan[] {
  const firsts = new Map<string, Plan>()
  for (const plan of plans) if (!firsts.has(nameOf(plan))) firsts.set(nameOf(plan), plan)
  return [...firsts.values()]
}

/**
 * Checks whether a plan has runs and none of them needs the network. Such a plan is published with
 * its runs; any other plan is stored as a row.
 */
export function isInline({ runs }: RulePlan): boolean {
  return runs.length > 0 && runs.every(isOffline)
}

const columns: readonly Column<Plan>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['received_at', 'timestamptz', ({ decision }) => new Date(decision.received_at)],
  ['rule_set_version', 'integer', ({ rulePlan }) => rulePlan.rule_set_version],
  ['outcomes', 'text[]', ({ rulePlan }) => `{${rulePlan.outcomes.join(',')}}`],
  ['runs', 'integer', ({ rulePlan }) => rulePlan.runs.length]
]

const insertPlans = createInsertRows('evaluation_plans', columns, {
  tail: 'on conflict do nothing returning organization_id, decision_id'
})

function waitingRunsOf({ decision, rulePlan }: Plan, openedAt: number) {
  return rulePlan.runs
    .filter((run) => !isOffline(run))
    .map((run) => ({ ...run, decision, openedAt }))
}

export function isOffline({ evaluator }: PlannedRun): boolean {
  return isOfflineKind(evaluator.kind)
}

interface EarlierPlanRow extends Row {
  readonly organization_id: string
  readonly decision_id: string
  /**
   * Time of the copy that was planned. `received_at`, `rule_set_version` and `outcomes` are null if
   * the plan has no row.
   */
  readonly received_at: Date | null
  readonly rule_set_version: number | null
  readonly outcomes: readonly string[] | null
  /**
   * True if the packed runs are already stored, or if the stored decision belongs to another agent
   * or session.
   */
  readonly is_duplicate: boolean
}

/** Reads stored plans and returns them by identity name. */
async function readKnown(
  transaction: Queryable,
  plans: readonly Plan[]
): Promise<ReadonlyMap<string, EarlierPlanRow>> {
  if (plans.length === 0) return new Map()
  const decisions = plans.map(({ decision }) => decision)
  const rows = await transaction.query<EarlierPlanRow>(
    // `limit 1` makes Postgres look up each row by its key instead of joining whole tables.
    `select wanted.organization_id, wanted.decision_id, p.received_at, p.rule_set_version,
            p.outcomes, e.is_duplicate is not null as is_duplicate
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[])
            as wanted (organization_id, decision_id, received_at, agent_id, session_id)
       left join lateral (
         select received_at, rule_set_version, outcomes
           from evaluation_plans p
          where p.organization_id = wanted.organization_id and p.decision_id = wanted.decision_id
          limit 1) as p on true
       left join lateral (
         select true as is_duplicate
           from evaluations e
          where e.organization_id = wanted.organization_id and e.decision_id = wanted.decision_id
            and e.received_at = wanted.received_at
            and (e.run_kinds is not null
                 or (e.agent_id, e.session_id)
                    is distinct from (wanted.agent_id, wanted.session_id))
          limit 1) as e on true
      where p.rule_set_version is not null or e.is_duplicate`,
    [
      ...identityArrays(decisions),
      decisions.map(({ received_at }) => new Date(received_at)),
      decisions.map(({ agent_id }) => agent_id),
      decisions.map(({ session_id }) => session_id)
    ]
  )
  return new Map(rows.map((row) => [identityNameOf(row), row]))
}

/**
 * Classifies a decision that is already planned. A message with another `received_at` is a retry or
 * another decision with the same ID. Deferred decisions skip this check, because they are read from
 * the `decisions` table, which has only one copy of each.
 */
function earlierOf(
  decision: Decision,
  row: EarlierPlanRow | undefined,
  { isMessage }: { isMessage: boolean }
): StoredPlan {
  if (row === undefined || row.is_duplicate) return { kind: 'duplicate' }
  const { received_at, rule_set_version: version, outcomes } = row
  if (version === null || outcomes === null) return { kind: 'duplicate' }
  if (isMessage && received_at?.getTime() !== decision.received_at) return { kind: 'duplicate' }
  return { kind: 'repeated', version, outcomes }
}
