/** Inserts webhook deliveries for decisions whose evaluation is complete. */
import type { Clock } from '../../core/clock.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { EndedOutcomeRun } from '../../core/evaluation/decision-outcome.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../core/evaluation/rule.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { completedEvent, completionsOf } from './completion.ts'
import type { Completion } from './completion.ts'
import { keyOf } from './evaluation-rows.ts'
import { readPlans, readRuns } from './read-runs.ts'
import type { Subscribers, Subscription } from './subscribers.ts'

interface NotifyCompletedDependencies {
  readonly subscribers: Subscribers
  readonly clock: Clock
  /**
   * Called when deliveries are dropped because too many of the organization's deliveries are
   * pending.
   */
  readonly onDropped: (organizationId: string, deliveries: number) => void
}

/**
 * Inserts deliveries. Call this in the transaction that stores the ended runs and deletes the
 * pending ones. Does not read runs for organizations without webhooks.
 * @param evaluations the evaluations with runs that were not stored before
 */
export type NotifyCompleted = (
  transaction: Queryable,
  evaluations: readonly Evaluation[]
) => Promise<void>

export function createNotifyCompleted(dependencies: NotifyCompletedDependencies): NotifyCompleted {
  const { subscribers, clock, onDropped } = dependencies

  return async function notifyCompleted(transaction, evaluations) {
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

/**
 * Returns the completions of each organization up to its limit, and reports the others as dropped.
 */
function admit(
  webhooks: ReadonlyMap<string, Subscription>,
  completions: readonly Completion[],
  onDropped: NotifyCompletedDependencies['onDropped']
): readonly Completion[] {
  const byOrganization = Map.groupBy(completions, ({ organization_id }) => organization_id)
  return [...byOrganization].flatMap(([organizationId, own]) => {
    const admitted = webhooks.get(organizationId)?.admit(own.length) ?? 0
    if (admitted < own.length) onDropped(organizationId, own.length - admitted)
    return own.slice(0, admitted)
  })
}

/** Checks whether a run was planned. Pushed scores are not part of a plan. */
function isPlanned({ rule_id }: { readonly rule_id: string | null }): boolean {
  return rule_id !== pushRuleId
}

interface Completed {
  /** Number of runs in the plan. Additional ended runs are repetitions, for example replays. */
  readonly planned: number
  /** Oldest first. */
  readonly ended: readonly EndedOutcomeRun[]
}

/**
 * Reads the completed decisions: all planned runs have ended, and no replay is pending. If two
 * transactions store runs of the same decision, the second waits for the lock on its row and sees
 * all runs.
 */
async function readCompleted(transaction: Queryable, decisions: readonly Evaluation[]) {
  const keys = decisions.map(keyOf)
  const plans = await readPlans(transaction, keys)
  const runs = await readRuns(transaction, keys)
  const completed = new Map<string, Completed>()
  for (const [name, { runs: planned }] of plans) {
    const { ended, open } = runs.get(name) ?? { ended: [], open: [] }
    if (open.some(isPlanned)) continue
    const own = ended
      .filter(isPlanned)
      .toSorted((left, right) => left.evaluated_at - right.evaluated_at)
    const first = own.filter(({ generation }) => generation === 0)
    // Uses `>=`, because repeating the plan with a later version of the built-in rules can add
    // runs.
    if (first.length >= planned) completed.set(name, { planned, ended: own })
  }
  return completed
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
