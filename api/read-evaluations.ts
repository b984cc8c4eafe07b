/** Reads the evaluations of decisions: their plans, and their runs with scores. */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule, RuleSet } from '../core/evaluation/rule.ts'
import { defaultRuleSet } from '../evaluators/default-rule-set.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import type { Row } from '../platform/postgres/postgres.ts'
import { createCache } from '../platform/process/cache.ts'
import { yieldToEventLoop } from '../platform/process/yield-to-event-loop.ts'
import { onDays, selectDays } from './decisions/queries.ts'
import { pick, readRuns } from './evaluation-run.ts'
import type { EvaluationRun } from './evaluation-run.ts'
import type { OrganizationStore } from './store.ts'

/** A rule and its evaluators, without their definitions. */
interface RuleOutline extends Pick<ResolvedRule, 'rule_id' | 'name'> {
  readonly evaluators: readonly Pick<EvaluatorVersion, 'evaluator_id' | 'name' | 'version'>[]
}

export interface PlannedRule extends RuleOutline {
  /** `planned`, or the reason why the rule planned no runs. */
  readonly outcome: string
}

export interface DecisionPlan {
  readonly planned_at: Date
  readonly rules: readonly PlannedRule[]
}

export interface DecisionEvaluation {
  /** Null until the decision is planned. */
  readonly plan: DecisionPlan | null
  readonly runs: readonly EvaluationRun[]
}

/**
 * Checks whether a decision has a plan or runs. They can be stored before the decision, because the
 * evaluation consumer writes plans independently of storage, and runs come from another topic.
 */
export function isEvaluated({ plan, runs }: DecisionEvaluation): boolean {
  return plan !== null || runs.length > 0
}

/**
 * Maximum number of concurrent single-decision reads per organization. Low, because waiting calls
 * poll, and a decision can have thousands of runs.
 */
const oneAtOnceMax = 2
const waitingMax = 250
const waitMsMax = 3000
/**
 * Maximum number of runs read at a time, unless a single decision has more. The decisions on a page
 * can have thousands of runs.
 */
const runsMax = 2000

export type EvaluationReads = ReturnType<typeof createReadEvaluations>

export function createReadEvaluations() {
  const readRuleOutlines = createReadRuleOutlines()
  const inShare = createFairShare({
    what: 'reads of evaluations',
    atOnceMax: oneAtOnceMax,
    waitingMax,
    waitMsMax
  })

  /** Yields each decision id with its evaluation, in the order of `decisionIds`. */
  async function* readEvaluations(
    store: OrganizationStore,
    decisionIds: readonly string[]
  ): AsyncGenerator<readonly [decisionId: string, known: DecisionEvaluation]> {
    if (decisionIds.length === 0) return
    const days = await selectDays(store, decisionIds)
    for (const ids of await batchesOf(store, decisionIds, days)) {
      // Read the plans after the runs, so that every run that is read has its plan.
      const runs = await readRuns(store, ids, days)
      const rows = await selectPlans(store, ids, days)
      const versions = rows.map(({ rule_set_version }) => rule_set_version)
      const outlines = await readRuleOutlines(store, versions)
      const plans = new Map(
        rows.map((row) => [row.decision_id, planOf(row, outlines.get(row.rule_set_version))])
      )
      for (const id of ids) {
        await yieldToEventLoop()
        yield [id, { plan: plans.get(id) ?? null, runs: runs.get(id) ?? [] }]
      }
    }
  }

  return {
    readEvaluations,
    /** @throws {Problem} 503 if too many reads are already waiting */
    readEvaluation: (store: OrganizationStore, decisionId: string): Promise<DecisionEvaluation> =>
      inShare(store.organizationId, async () => {
        for await (const [, known] of readEvaluations(store, [decisionId])) return known
        return { plan: null, runs: [] }
      })
  }
}

/** Groups decisions into batches of at most `runsMax` runs. */
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
            + (select count(*) from pending_runs o
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

interface PlanRow extends Row {
  readonly decision_id: string
  readonly rule_set_version: number
  readonly outcomes: readonly string[]
  readonly planned_at: Date
}

/**
 * Selects the plans of decisions. If a decision has two plans, the one stored with its runs comes
 * last and takes precedence.
 */
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

function planOf(
  { planned_at, outcomes }: PlanRow,
  rules: readonly RuleOutline[] | undefined
): DecisionPlan | null {
  if (rules === undefined) return null
  return {
    planned_at,
    rules: rules.map((rule, index) => ({ ...rule, outcome: outcomes[index] ?? 'disabled' }))
  }
}

/**
 * Maximum number of rule set versions in the cache. The outlines of a version can have up to
 * 200,000 characters; only those with up to `cachedCharactersMax` characters are cached.
 */
const cachedMax = 1000
const cachedCharactersMax = 32_768

/**
 * Creates a function that reads rule outlines by rule set version and omits versions that do not
 * exist. It caches outlines, which never become outdated because rule set versions are immutable.
 */
function createReadRuleOutlines() {
  const known = createCache<readonly RuleOutline[]>(cachedMax)

  async function readOutlines(store: OrganizationStore, version: number) {
    const key = `${store.organizationId}/${version}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const text = await selectOutlines(store, version)
    if (text === null) return null
    const rules = JSON.parse(text) as readonly RuleOutline[]
    if (text.length <= cachedCharactersMax) known.set(key, rules)
    return rules
  }

  return async function readRuleOutlines(store: OrganizationStore, versions: readonly number[]) {
    const found = new Map<number, readonly RuleOutline[]>([
      [defaultRuleSet.version, outlinesOf(defaultRuleSet)]
    ])
    // Read the versions one after the other, because reading many large outlines at once would need
    // too much memory.
    for (const version of versions) {
      if (found.has(version)) continue
      const rules = await readOutlines(store, version)
      if (rules !== null) found.set(version, rules)
    }
    return found
  }
}

/** Selects only the outlines, as JSON, because a complete rule set can be several megabytes. */
async function selectOutlines(store: OrganizationStore, version: number): Promise<string | null> {
  const [row] = await store.query<{ outlines: string } & Row>(
    `select (select coalesce(json_agg(json_build_object(
                      'rule_id', rule -> 'rule_id', 'name', rule -> 'name',
                      'evaluators', (
                        select coalesce(json_agg(json_build_object(
                                 'evaluator_id', evaluator -> 'evaluator_id',
                                 'name', evaluator -> 'name', 'version', evaluator -> 'version')
                                 order by number), '[]')
                          from json_array_elements(rule -> 'evaluators')
                               with ordinality as evaluators (evaluator, number)))
                      order by place), '[]')
               from json_array_elements(content::json -> 'rules')
                    with ordinality as rules (rule, place))::text as outlines
       from rule_sets
      where organization_id = $1
        and version = $2`,
    [store.organizationId, version]
  )
  return row?.outlines ?? null
}

function outlinesOf({ rules }: RuleSet): readonly RuleOutline[] {
  return rules.map(({ rule_id, name, evaluators }) => ({
    rule_id,
    name,
    evaluators: evaluators.map((each) => pick(each, ['evaluator_id', 'name', 'version']))
  }))
}
