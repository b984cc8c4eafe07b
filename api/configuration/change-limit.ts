/** Limits how fast evaluators and rules of an organization grow, since their old versions are kept.
 *  What deletes, disables or revokes is never refused. */
import { Problem } from '../../core/problem.ts'
import type { Edit } from './take-turn.ts'

/** Of one organization. */
export const changesPerHourMax = 1000
/** Of one organization; the largest rule set has 8 MiB. */
export const ruleSetBytesPerHourMax = 64 * 1024 * 1024

/** @throws {Problem} 429 */
export async function refuseTooManyChanges({ organizationId, query }: Edit): Promise<void> {
  const [row] = await query<{ seconds: number }>(
    `select ceil(extract(epoch from created_at + interval '1 hour' - now()))::integer as seconds
       from audit_log
      where organization_id = $1
        and created_at > now() - interval '1 hour'
        and action in ('rule.created', 'rule.changed', 'evaluator.created', 'evaluator.changed')
      order by created_at desc
     offset $2 limit 1`,
    [organizationId, changesPerHourMax - 1]
  )
  if (row === undefined) return
  throw changesLimited(`changed its evaluators and rules ${changesPerHourMax} times`, row.seconds)
}

/** @throws {Problem} 429 when `bytes` more would be too much */
export async function refuseTooMuchOfRuleSets(
  { organizationId, query }: Edit,
  bytes: number
): Promise<void> {
  const [row] = await query<{ written: number; seconds: number }>(
    `select coalesce(sum(octet_length(content)), 0)::float8 as written,
            coalesce(ceil(extract(epoch from min(created_at) + interval '1 hour' - now())),
                     0)::integer as seconds
       from rule_sets
      where organization_id = $1
        and created_at > now() - interval '1 hour'
        and version > (select max(version) - $2::integer
                         from rule_sets where organization_id = $1)`,
    [organizationId, changesPerHourMax]
  )
  if (row === undefined || row.written + bytes <= ruleSetBytesPerHourMax) return
  const written = `written ${ruleSetBytesPerHourMax} bytes of rules with their evaluators`
  throw changesLimited(written, row.seconds)
}

function changesLimited(what: string, seconds: number): Problem {
  const wait = Math.max(1, seconds)
  return new Problem('changes_limited', {
    detail: `Your organization has ${what} in one hour. Retry in ${wait} s.`,
    headers: { 'retry-after': String(wait) }
  })
}
