/** Counts the decisions that an SDK reports as dropped, so that no loss is silent. */
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { clientReportSchema } from '../../schemas/index.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { UsageCounters } from '../../usage/usage.ts'
import type { DecisionBatch } from './decision-batch.ts'

interface ClientReport {
  readonly dropped: Readonly<Record<string, number>>
  readonly agent_id?: string
}

/**
 * Counts the report of a batch. A malformed report counts as `unreadable` and has no other effect.
 */
export type TakeClientReport = (batch: DecisionBatch, principal: KeyPrincipal) => void

interface TakeClientReportDependencies {
  readonly metrics: Metrics
  readonly usage: Pick<UsageCounters, 'dropped'>
}

/**
 * Reasons that are counted separately. All others count as `other`, because callers could otherwise
 * create any number of labels.
 */
const reasons = new Set(Object.keys(clientReportSchema.properties.dropped.properties))

/** Every reason that can be counted. */
export const dropReasons: readonly string[] = [...reasons, 'unreadable', 'other']

export function createTakeClientReport(dependencies: TakeClientReportDependencies) {
  const { metrics, usage } = dependencies
  const check = createCheck(clientReportSchema)

  const takeClientReport: TakeClientReport = (batch, principal) => {
    const { client_report: given } = batch
    if (given === undefined) return
    const report = check(given).length === 0 ? (given as ClientReport) : unreadable
    const drops = Object.entries(report.dropped).flatMap(([name, count]) =>
      count === 0 ? [] : [[reasonOf(name), count] as const]
    )
    for (const [reason, count] of drops) {
      metrics.count('sluice_client_dropped_total', { reason }, count)
    }
    usage.dropped(principal, report.agent_id ?? onlyAgentOf(batch), drops)
  }
  return takeClientReport
}

const unreadable: ClientReport = { dropped: { unreadable: 1 } }

function reasonOf(name: string): string {
  return reasons.has(name) || name === 'unreadable' ? name : 'other'
}

/**
 * Returns the agent that all items of a batch name (empty if all name none), or null if the items
 * differ or their agent is not readable.
 */
function onlyAgentOf(batch: DecisionBatch): string | null {
  const agents = new Set(batch.problems.map((_, index) => batch.agentAt(index)))
  const [first = null, ...others] = agents
  return others.length === 0 ? first : null
}
