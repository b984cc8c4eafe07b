/** What storage itself says of a run when all is settled: its sums, and its audit. */
import { hoursDiffer } from '../../support/hours-differ.ts'
import type { Installation } from '../../support/installation.ts'
import { differingHours } from './hour-sums.ts'
import type { HourSum } from './hour-sums.ts'

/** Clocks of gateways are moved by so much at the most. */
const clockShiftMs = 40 * 86_400_000

/** @returns what does not fit, in sentences. */
export async function complaintsAfter(installation: Installation): Promise<string[]> {
  return [
    ...(await complaintsOfHours(installation)),
    ...(await complaintsOfSums(installation)),
    ...(await complaintsOfAudit(installation))
  ]
}

/** All sums that are kept, and whether every decision with a run has its outcome. */
async function complaintsOfSums({ database }: Installation): Promise<string[]> {
  const differing = await hoursDiffer(database)
  return differing.map((row) => `a sum differs: ${JSON.stringify(row)}`)
}

async function complaintsOfHours({ database }: Installation): Promise<string[]> {
  const counted = await database.query<HourSum & Record<string, unknown>>(
    `select organization_id::text, date_trunc('hour', received_at, 'UTC')::text as hour,
            coalesce(agent_id, '') as agent_id, coalesce(domain, '') as domain,
            count(*)::text as decisions,
            coalesce(sum(input_tokens), 0)::text as input_tokens,
            coalesce(sum(output_tokens), 0)::text as output_tokens,
            count(input_tokens)::text as input_tokens_known,
            count(output_tokens)::text as output_tokens_known
       from decisions
      group by 1, 2, 3, 4`
  )
  const kept = await database.query<HourSum & Record<string, unknown>>(
    `select organization_id::text, hour::text, agent_id, domain, decisions::text,
            input_tokens::text, output_tokens::text, input_tokens_known::text,
            output_tokens_known::text
       from decision_hours
      where decisions > 0`
  )
  return differingHours(counted, kept)
}

/** `sluice audit` accounts for every offset; it fails by itself when one is missing. */
async function complaintsOfAudit({ sluice }: Installation): Promise<string[]> {
  try {
    const [from, to] = [Date.now() - clockShiftMs, Date.now() + clockShiftMs]
    const window = ['--from', new Date(from).toISOString(), '--to', new Date(to).toISOString()]
    const told = await sluice('audit', '--json', ...window)
    const { missing } = JSON.parse(told) as { missing?: unknown }
    return missing === 0 ? [] : [`the audit says that ${String(missing)} are missing`]
  } catch (error) {
    return [String(error)]
  }
}
