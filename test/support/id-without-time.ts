/** Finds query plan nodes that look up a decision id without its partition. */

export interface PlanPart {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
}

/** Matches partitions and their indexes, which share the prefix. */
const ofDecisions = /^decisions_(default|\d{8})/

/**
 * Checks whether a plan node looks up an id without `received_at`. Such a lookup reads all rows of
 * an organization, because `received_at` precedes `decision_id` in the primary key.
 */
export function isIdWithoutTime(part: PlanPart): boolean {
  const { 'Index Cond': found = '', Filter: filter = '' } = part
  if (!ofDecisions.test(part['Relation Name'] ?? part['Index Name'] ?? '')) return false
  return /\bdecision_id = /.test(`${found} ${filter}`) && !/\breceived_at = /.test(found)
}
