/** Finds the parts of a plan that look for a decision's id in more than one moment. */

export interface PlanPart {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
}

/** Partitions, and their indexes, which are named after them. */
const ofDecisions = /^decisions_(default|\d{8})/

/** The key of decisions begins with their time: without it, all of an organization are read. */
export function isIdWithoutTime(part: PlanPart): boolean {
  const { 'Index Cond': found = '', Filter: filter = '' } = part
  if (!ofDecisions.test(part['Relation Name'] ?? part['Index Name'] ?? '')) return false
  return /\bdecision_id = /.test(`${found} ${filter}`) && !/\breceived_at = /.test(found)
}
