/** Counts the rows of a table that a statement reads, according to its plan. */
import type { TestDatabase } from '../../support/database.ts'

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

export async function countRowsRead(
  database: TestDatabase,
  table: string,
  [statement, values]: readonly [string, readonly unknown[]]
): Promise<number> {
  const [explained] = await database.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
    `explain (analyze, format json) ${statement}`,
    values
  )
  const plan = explained?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('plan missing')
  return rowsReadBy(plan, table)
}

function rowsReadBy(node: PlanNode, table: string): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const isScan = node['Relation Name'] === table
  const own = isScan ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsReadBy(each, table), own)
}
