/** What an SDK says it dropped before it could send it: counted, so that no loss is silent. */
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { clientReportSchema } from '../../schemas/index.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { Facts } from '../../usage/facts.ts'
import type { ParsedBatch } from './parse-batch.ts'
import { agentIdOf } from './submitted.ts'

interface ClientReport {
  readonly dropped: Readonly<Record<string, number>>
  readonly agent_id?: string
}

/** Counts the report of a batch; one that is no report harms nothing and counts as `unreadable`. */
export type TakeClientReport = (batch: ParsedBatch, principal: KeyPrincipal) => void

export interface TakeClientReportDependencies {
  readonly metrics: Metrics
  readonly facts: Pick<Facts, 'dropped'>
}

/** Reasons that have a count of their own; a label must not hold whatever a caller sends. */
const reasons = new Set(Object.keys(clientReportSchema.properties.dropped.properties))

/** Every reason that is ever counted. */
export const dropReasons: readonly string[] = [...reasons, 'unreadable', 'other']

export function createTakeClientReport(dependencies: TakeClientReportDependencies) {
  const { metrics, facts } = dependencies
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
    facts.dropped(principal, report.agent_id ?? onlyAgentOf(batch), drops)
  }
  return takeClientReport
}

const unreadable: ClientReport = { dropped: { unreadable: 1 } }

function reasonOf(name: string): string {
  return reasons.has(name) || name === 'unreadable' ? name : 'other'
}

/** Null when a batch has several, or none that is known. */
function onlyAgentOf({ items }: ParsedBatch): string | null {
  const [first = null, ...others] = new Set(items.map(agentIdOf))
  return others.length === 0 ? first : null
}
