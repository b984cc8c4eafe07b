/** What is known of the evaluation of decisions: their plans, and their runs with their scores. */
import type { Row } from '../platform/postgres/postgres.ts'
import { yieldTurn } from '../platform/process/yield-turn.ts'
import type { EvaluationRun } from './evaluation-run.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import { onDays, selectDays } from './decision-days.ts'
import { readRuns } from './read-runs.ts'
import { createReadRuleOutlines } from './rule-outlines.ts'
import type { RuleOutline } from './rule-outlines.ts'
import type { OrganizationStore } from './store.ts'

export interface PlannedRule extends RuleOutline {
  /** `planned`, or why its evaluators do not run. */
  readonly outcome: string
}

export interface DecisionPlan {
  readonly planned_at: Date
  readonly rules: readonly PlannedRule[]
}

export interface KnownEvaluation {
  /** Null until the decision is planned. */
  readonly plan: DecisionPlan | null
  readonly runs: readonly EvaluationRun[]
}

/** Each decision with what is known of it, in the order of the ids. */
export type ReadEvaluations = (
  store: OrganizationStore,
  decisionIds: readonly string[]
) => AsyncIterable<readonly [decisionId: string, known: KnownEvaluation]>

interface PlanRow extends Row {
  readonly decision_id: string
  readonly rule_set_version: number
  readonly outcomes: readonly string[]
  readonly planned_at: Date
}

/** What is known of one decision. @throws {Problem} 503 when too many reads wait already */
export type ReadEvaluation = (
  store: OrganizationStore,
  decisionId: string
) => Promise<KnownEvaluation>

export interface EvaluationReads {
  readonly readEvaluations: ReadEvaluations
  readonly readEvaluation: ReadEvaluation
}

/** Of one organization: calls that wait read again and again, and a decision may have much. */
const oneAtOnceMax = 2
const waitingMax = 250
const waitMsMax = 3000
/** Runs that are read at once, unless one decision alone has more: a page may have thousands. */
const runsMax = 2000

export function createReadEvaluations(): EvaluationReads {
  const readRuleOutlines = createReadRuleOutlines()
  const inShare = createFairShare({
    ...{ what: 'reads of evaluations', atOnceMax: oneAtOnceMax, waitingMax, waitMsMax }
  })

  const readEvaluations: ReadEvaluations = async function* (store, decisionIds) {
    if (decisionIds.length === 0) return
    const days = await selectDays(store, decisionIds)
    for (const ids of await batchesOf(store, decisionIds, days)) {
      // Plans after runs: whatever run is seen, the plan that it belongs to is seen as well.
      const runs = await readRuns(store, ids, days)
      const rows = await selectPlans(store, ids, days)
      const versions = rows.map(({ rule_set_version }) => rule_set_version)
      const outlines = await readRuleOutlines(store, versions)
      const plans = new Map(
        rows.map((row) => [row.decision_id, planOf(row, outlines.get(row.rule_set_version))])
      )
      for (const id of ids) {
        await yieldTurn()
        yield [id, { plan: plans.get(id) ?? null, runs: runs.get(id) ?? [] }]
      }
    }
  }

  return {
    readEvaluations,
    readEvaluation: (store, decisionId) =>
      inShare(store.organizationId, async () => {
        for await (const [, known] of readEvaluations(store, [decisionId])) return known
        return { plan: null, runs: [] }
      })
  }
}

/** Ids of decisions whose runs are read together. */
async function batchesOf(
  store: OrganizationStore,
  decisionIds: readonly string[],
  days: readonly Date[] | null
): Promise<readonly (readonly string[])[]> {
  if (decisionIds.length <= 1) return decisionIds.map((id) => [id])
  const counts = await store.query<{ decision_id: string; runs: number }>(
    `select wanted.decision_id,
            coalesce((select sum(cardinality(e.run_kinds)) from evaluations e
                       where e.organization_id = $1 and e.decision_id = wanted.decision_id
                         and ${onDays('e.received_at', '$3')}), 0)
            + (select count(*) from later_runs r
                where r.organization_id = $1 and r.decision_id = wanted.decision_id)
            + (select count(*) from open_runs o
                where o.organization_id = $1 and o.decision_id = wanted.decision_id) as runs
       from unnest($2::uuid[]) as wanted (decision_id)`,
    [store.organizationId, decisionIds, days]
  )
  const runsOf = new Map(counts.map(({ decision_id, runs }) => [decision_id, runs]))
  const batches: string[][] = []
  let left = 0
  for (const id of decisionIds) {
    const runs = runsOf.get(id) ?? 0
    if (batches.length === 0 || runs > left) {
      batches.push([])
      left = runsMax
    }
    batches.at(-1)?.push(id)
    left -= runs
  }
  return batches
}

/** If a decision has two plans, the one stored with its runs is last, so readers keep it. */
function selectPlans(
  store: OrganizationStore,
  decisionIds: readonly string[],
  days: readonly Date[] | null
) {
  return store.query<PlanRow>(
    `select decision_id, rule_set_version, outcomes, planned_at, false as is_inline
       from evaluation_plans
      where organization_id = $1
        and decision_id = any($2::uuid[])
      union all
     select decision_id, rule_set_version, string_to_array(outcomes, ','), evaluated_at, true
       from evaluations
      where organization_id = $1
        and decision_id = any($2::uuid[])
        and ${onDays('received_at', '$3')}
        and rule_set_version is not null
      order by is_inline`,
    [store.organizationId, decisionIds, days]
  )
}

function planOf(row: PlanRow, rules: readonly RuleOutline[] | undefined): DecisionPlan | null {
  if (rules === undefined) return null
  const { planned_at, outcomes } = row
  return {
    planned_at,
    rules: rules.map((rule, index) => ({ ...rule, outcome: outcomes[index] ?? 'disabled' }))
  }
}
