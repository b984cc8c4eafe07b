/** Checks the database after a run: compares all sums with their source rows, and runs the offset
 * audit.
 */
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import type { Installation } from '../../support/installation.ts'
import { differingHours } from './hour-sums.ts'
import type { HourSum } from './hour-sums.ts'

/**
 * The audit covers this many milliseconds before and after the current time. That is longer than
 * any clock shift in the tests.
 */
const clockShiftMs = 40 * 86_400_000

/**
 * Runs all checks.
 * @returns a sentence for each difference
 */
export async function complaintsAfter(installation: Installation): Promise<string[]> {
  return [
    ...(await complaintsOfHours(installation)),
    ...(await complaintsOfSums(installation)),
    ...(await complaintsOfAudit(installation))
  ]
}

/** Compares all stored sums and outcomes with their source rows. */
async function complaintsOfSums({ database }: Installation): Promise<string[]> {
  const differing = await findSumDifferences(database)
  return differing.map((row) => `sum differs: ${JSON.stringify(row)}`)
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

/** Runs `sluice audit`, which fails if it cannot account for every offset. */
async function complaintsOfAudit({ sluice }: Installation): Promise<string[]> {
  try {
    const [from, to] = [Date.now() - clockShiftMs, Date.now() + clockShiftMs]
    const window = ['--from', new Date(from).toISOString(), '--to', new Date(to).toISOString()]
    const output = await sluice('audit', '--json', ...window)
    const { missing } = JSON.parse(output) as { missing?: unknown }
    return missing === 0 ? [] : [`the audit reports ${String(missing)} missing`]
  } catch (error) {
    return [String(error)]
  }
}
