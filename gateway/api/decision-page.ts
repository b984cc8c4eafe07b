/** One page of decisions, newest first, found through the indexes and never by counting. */
import type { CursorPosition } from '../../core/cursor.ts'
import type { Row } from '../../platform/postgres.ts'
import { textCondition } from '../../platform/text-condition.ts'
import { inputStartChars, outputStartChars } from './preview.ts'
import type { OrganizationStore } from './store.ts'
import type { TimeRange } from './time-range.ts'

export interface PageQuery {
  readonly range: TimeRange
  readonly agent_id?: string | undefined
  readonly session_id?: string | undefined
  readonly domain?: string | undefined
  /** The page begins behind it. */
  readonly after: CursorPosition | null
  readonly rowsMax: number
}

export interface PageRow extends Row {
  readonly decision_id: string
  readonly received_at: Date
  readonly stored_at: Date
  /** `received_at` with all its digits. */
  readonly sort_key: string
  readonly input_start: string
  readonly output_start: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
}

export function selectDecisionPage(store: OrganizationStore, query: PageQuery): Promise<PageRow[]> {
  const { conditions, values } = conditionsOf(store.organizationId, query)
  return store.query<PageRow>(
    `select decision_id, received_at, stored_at,
            to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key,
            left(input, ${inputStartChars}) as input_start,
            left(output, ${outputStartChars}) as output_start,
            agent_id, session_id, domain, input_tokens, output_tokens, sdk_version
       from decisions
      where ${conditions.join('\n        and ')}
      order by received_at desc, decision_id desc
      limit ${query.rowsMax}`,
    values
  )
}

/** The texts of the conditions are ours; what the caller gave is a parameter, always. */
function conditionsOf(organizationId: string, query: PageQuery) {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const { range, after } = query

  const conditions = [
    `organization_id = ${parameter(organizationId)}`,
    `received_at >= ${parameter(range.from.toISOString())}`
  ]
  if (range.to !== null) conditions.push(`received_at < ${parameter(range.to.toISOString())}`)
  for (const column of ['agent_id', 'session_id'] as const) {
    const value = query[column]
    if (value !== undefined) conditions.push(textCondition(column, value, parameter(value)))
  }
  if (query.domain !== undefined) conditions.push(`domain = ${parameter(query.domain)}`)
  if (after !== null) {
    const time = `${parameter(after.sort_key)}::timestamptz`
    // The first condition leaves out whole days; the second is the place within one.
    conditions.push(`received_at <= ${time}`)
    conditions.push(`(received_at, decision_id) < (${time}, ${parameter(after.id)}::uuid)`)
  }
  return { conditions, values }
}
