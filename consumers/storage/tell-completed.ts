/** Tells the webhooks of an organization which decisions have no run left to end. */
import type { Clock } from '../../core/clock.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { DecisionIdentity } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../core/evaluation/rule.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { completedEvent, completionsOf } from './completion.ts'
import type { CompletedRun, Completion } from './completion.ts'
import { keyOf, keysOf, wantedRows } from './evaluation-rows.ts'
import { packedOfWanted, readPlans, runColumns } from './read-outcome-facts.ts'
import type { Subscribers, Subscription } from './subscribers.ts'

export interface TellCompletedDependencies {
  readonly subscribers: Subscribers
  readonly clock: Clock
  /** Too many deliveries of the organization are pending: these are not written. */
  readonly onDropped: (organizationId: string, deliveries: number) => void
}

/**
 * Called in the transaction that stored these evaluations and closed their runs. It makes no query
 * for organizations without webhooks.
 * @param evaluations those with runs that were not stored before
 */
export type TellCompleted = (
  transaction: Queryable,
  evaluations: readonly Evaluation[]
) => Promise<void>

export function createTellCompleted(dependencies: TellCompletedDependencies): TellCompleted {
  const { subscribers, clock, onDropped } = dependencies

  return async function tellCompleted(transaction, evaluations) {
    const planned = evaluations.filter(
      ({ runs, later_runs }) => runs.length > 0 || later_runs.some(isPlanned)
    )
    if (planned.length === 0) return
    const webhooks = await subscribers(
      transaction,
      planned.map(({ organization_id }) => organization_id)
    )
    const subscribed = planned.filter(({ organization_id }) => webhooks.has(organization_id))
    if (subscribed.length === 0) return
    const decisions = new Map(subscribed.map((decision) => [identityNameOf(decision), decision]))
    const runs = await readCompleted(transaction, [...decisions.values()])
    const now = clock.now()
    const completions = [...runs].flatMap(([name, { planned: count, ended }]) => {
      const decision = decisions.get(name)
      const webhookIds = webhooks.get(decision?.organization_id ?? '')?.webhookIds ?? []
      return decision === undefined
        ? []
        : completionsOf(decision, ended, { webhookIds, planned: count, now })
    })
    await insertDeliveries(transaction, admit(webhooks, completions, onDropped))
  }
}

/** The first of each organization, as far as they may be written. */
function admit(
  webhooks: ReadonlyMap<string, Subscription>,
  completions: readonly Completion[],
  onDropped: TellCompletedDependencies['onDropped']
): readonly Completion[] {
  const byOrganization = Map.groupBy(completions, ({ organization_id }) => organization_id)
  return [...byOrganization].flatMap(([organizationId, own]) => {
    const admitted = webhooks.get(organizationId)?.admit(own.length) ?? 0
    if (admitted < own.length) onDropped(organizationId, own.length - admitted)
    return own.slice(0, admitted)
  })
}

/** Whoever pushes a score completes nothing that was planned. */
function isPlanned({ rule_id }: { readonly rule_id: string | null }): boolean {
  return rule_id !== pushRuleId
}

interface Completed {
  /** Runs of the plan; what ended beyond them are repetitions. */
  readonly planned: number
  readonly ended: readonly CompletedRun[]
}

/**
 * The runs of a decision may be in several partitions. This transaction has locked the row of each
 * decision: of two transactions that store runs of one decision, the later one sees all of them.
 */
async function readCompleted(transaction: Queryable, decisions: readonly Evaluation[]) {
  const keys = decisions.map(keyOf)
  const plans = await readPlans(transaction, keys)
  const ended = await readEnded(transaction, keysOf(keys))
  const completed = new Map<string, Completed>()
  for (const [name, { runs: planned }] of plans) {
    const own = ended.get(name) ?? []
    const first = own.filter(({ generation }) => generation === 0)
    // There are more than planned when a later version of the built-in rules repeated the plan.
    if (first.length >= planned) completed.set(name, { planned, ended: own })
  }
  return completed
}

type EndedRow = DecisionIdentity & CompletedRun & Record<string, unknown>

const scoreSql = (of: string): string =>
  `json_build_object('name', ${of}.name, 'value', ${of}.value, 'label', ${of}.label,
              'passed', ${of}.passed)`

/** Reads the ended runs of decisions without open runs. Scores are JSON, so a run is one row. */
async function readEnded(
  transaction: Queryable,
  keys: readonly unknown[]
): Promise<ReadonlyMap<string, readonly CompletedRun[]>> {
  const rows = await transaction.query<EndedRow>(
    `select r.*
       from (
         select ${runColumns('r')},
                case when r.name is null then '[]'
                     else json_build_array(${scoreSql('r')}) end as scores
           from ${wantedRows} ${packedOfWanted}
          union all
         select ${runColumns('r')},
                (select coalesce(json_agg(${scoreSql('s')} order by s.name, s.score_id), '[]')
                   from later_scores s
                  where s.organization_id = r.organization_id and s.decision_id = r.decision_id
                    and s.run_id = r.run_id)
           from later_runs r join ${wantedRows} using (organization_id, decision_id)) as r
      where r.rule_id is distinct from $4
        and not exists (select from open_runs o
                         where o.organization_id = r.organization_id
                           and o.decision_id = r.decision_id and o.rule_id <> $4)
      order by r.evaluated_at, r.run_id`,
    [...keys, pushRuleId]
  )
  return Map.groupBy(rows, identityNameOf)
}

const insertDeliveries = createInsertRows<Completion>(
  'webhook_deliveries',
  [
    ['organization_id', 'uuid', ({ organization_id }) => organization_id],
    ['delivery_id', 'uuid', ({ delivery_id }) => delivery_id],
    ['webhook_id', 'text', ({ webhook_id }) => webhook_id],
    ['event', 'text', () => completedEvent],
    ['decision_id', 'uuid', ({ decision_id }) => decision_id],
    ['payload', 'text', ({ payload }) => payload]
  ],
  { tail: 'on conflict do nothing' }
)
