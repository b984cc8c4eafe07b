/** Finds runs that ended without a score and that nobody has replayed. */
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import type { TimeRange } from '../../time-range.ts'
import { isUnsuccessful, runConditions, unsuccessfulCondition } from './run-filters.ts'

export interface ReplayFilter {
  readonly status: readonly string[]
  readonly status_reason?: string
  readonly rule_id?: string
  readonly evaluator_id?: string
  readonly decision_ids?: readonly string[]
  /** Null where the decisions are named. */
  readonly range: TimeRange | null
}

export interface ReplayableRun extends Row {
  readonly decision_id: string
  readonly run_id: string
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly received_at: Date
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly connection_id: string | null
}

export interface Wanted {
  readonly organizationId: string
  readonly filter: ReplayFilter
}

/** Locks at most `limit` runs, the newest first, until the transaction ends. */
export async function lockReplayable(
  transaction: Queryable,
  wanted: Wanted,
  limit: number
): Promise<readonly ReplayableRun[]> {
  const found = await selectReplayable(transaction, wanted, limit)
  if (found.length === 0) return []
  const names = [
    wanted.organizationId,
    found.map(({ decision_id }) => decision_id),
    found.map(({ run_id }) => run_id)
  ]
  // The lock of a packed run is its row.
  await transaction.query(lockPacked, names.slice(0, 2))
  await transaction.query(lockLater, names)
  // Read again after the locks: another transaction may have replayed some of them.
  const isFound = new Set(found.map(nameOf))
  const ids = [...new Set(found.map(({ decision_id }) => decision_id))]
  const filter = { ...wanted.filter, decision_ids: ids }
  const again = await selectReplayable(transaction, { ...wanted, filter }, limit * runsOfOneMax)
  return again.filter((run) => isFound.has(nameOf(run)))
}

/** More runs than a plan has for one decision. */
const runsOfOneMax = 100

function nameOf({ decision_id, run_id }: ReplayableRun): string {
  return `${decision_id}/${run_id}`
}

const lockPacked = `
  select from evaluations
   where organization_id = $1 and decision_id = any($2::uuid[]) and run_kinds is not null
   order by decision_id
     for update`

const lockLater = `
  select from later_runs
   where organization_id = $1 and decision_id = any($2::uuid[]) and run_id = any($3::uuid[])
   order by decision_id, run_id
     for update`

async function selectReplayable(
  transaction: Queryable,
  wanted: Wanted,
  limit: number
): Promise<readonly ReplayableRun[]> {
  const { conditions, values } = conditionsOf(wanted)
  return await transaction.query<ReplayableRun>(
    `select s.decision_id, s.run_id, coalesce(s.rule_id, s.rule) as rule_id, s.rule,
            coalesce(s.evaluator_id, s.evaluator) as evaluator_id, s.evaluator,
            s.evaluator_kind, s.evaluator_version, s.generation, s.received_at,
            s.agent_id, s.session_id, s.domain, v.config::json ->> 'connection_id' as connection_id
       from ${replayableRuns(wanted.filter)} s
       join decision_ids i
         on i.organization_id = s.organization_id
        and i.decision_id = s.decision_id
        and i.erased_at is null
       left join evaluator_versions v
         on v.organization_id = s.organization_id
        and v.evaluator_id = s.evaluator_id
        and v.version = s.evaluator_version
        and v.kind = 'llm_judge'
      where ${conditions.join('\n        and ')}
      order by s.evaluated_at desc, s.decision_id desc, s.run_id desc
      limit ${limit}`,
    values
  )
}

/** How many there are, up to `limit`. */
export async function countReplayable(
  transaction: Queryable,
  wanted: Wanted,
  limit: number
): Promise<number> {
  const { conditions, values } = conditionsOf(wanted)
  const [row] = await transaction.query<{ n: number }>(
    `select count(*) as n
       from (select
               from ${replayableRuns(wanted.filter)} s
               join decision_ids i
                 on i.organization_id = s.organization_id
                and i.decision_id = s.decision_id
                and i.erased_at is null
              where ${conditions.join('\n                and ')}
              limit ${limit}) found`,
    values
  )
  return row?.n ?? 0
}

/** Packed and later runs; partial indexes serve a filter on runs that did not succeed. */
function replayableRuns({ status, status_reason, decision_ids }: ReplayFilter): string {
  const areFew = decision_ids === undefined && isUnsuccessful(status, status_reason)
  const [packed, later] = areFew ? ['has_unsuccessful', unsuccessfulCondition] : ['true', 'true']
  return `(select ${replayableColumns} from packed_runs where ${packed}
         union all
         select ${replayableColumns} from later_runs where ${later})`
}

const replayableColumns = `organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                evaluator, evaluator_kind, evaluator_version, generation, received_at, agent_id,
                session_id, domain, status, status_reason, superseded_by, evaluated_at`

function conditionsOf({ organizationId, filter }: Wanted) {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const { status, decision_ids, range } = filter
  const conditions = [
    `s.organization_id = ${parameter(organizationId)}`,
    `s.status = any(${parameter(status)}::text[])`,
    's.superseded_by is null',
    // What somebody pushed has nothing that could be done again.
    `s.rule_id is distinct from '${pushRuleId}'`,
    ...runConditions(filter, parameter)
  ]
  if (decision_ids !== undefined) {
    conditions.push(`s.decision_id = any(${parameter(decision_ids)}::uuid[])`)
  }
  if (range !== null) {
    conditions.push(`s.evaluated_at >= ${parameter(range.from)}`)
    if (range.to !== null) conditions.push(`s.evaluated_at < ${parameter(range.to)}`)
  }
  return { conditions, values }
}
