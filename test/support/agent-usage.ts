/** Inserts decisions, evaluations and their usage sums directly into the database. */
import { randomUUID } from 'node:crypto'
import type { TestDatabase } from './database.ts'

export interface AgentDecision {
  readonly received_at: Date
  readonly decision_id?: string
  readonly agent_id?: string | null
  readonly session_id?: string | null
  readonly domain?: string | null
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly model?: string
  readonly agent_version?: string
  readonly sdk_version?: string
  readonly latency_ms?: number
  readonly is_error?: boolean
  /** If absent, no evaluation is stored. */
  readonly status?: string
  readonly verdict?: string
  readonly scores?: readonly AgentScore[]
}

interface AgentScore {
  readonly name: string
  readonly value?: number
  readonly passed?: boolean
  readonly evaluator_id?: string
  readonly evaluator_version?: number
}

/** Inserts the decisions and recomputes all usage sums of the organization. */
export async function storeAgentUsage(
  database: TestDatabase,
  organization_id: string,
  facts: readonly AgentDecision[]
): Promise<void> {
  const whole = facts.map((fact) => ({ decision_id: randomUUID(), organization_id, ...fact }))
  const rows = whole.map((fact) => {
    return { ...fact, stored_at: fact.received_at, input: '{}', output: '""' }
  })
  const outcomes = whole
    .filter(({ status }) => status !== undefined)
    .map(({ scores = [], verdict = 'none', ...fact }) => ({
      ...{ ...fact, verdict, counted: scores.map(countedOf), updated_at: fact.received_at },
      stored_at: fact.received_at,
      scores: Object.fromEntries(scores.map(({ name, passed, value }) => [name, { passed, value }]))
    }))
  const scores = whole.flatMap(({ scores: given = [], received_at, ...fact }) =>
    given.map((score) => ({
      ...{ evaluator: score.name, evaluator_kind: 'regex', evaluator_version: 0 },
      ...{ ...fact, ...score, received_at, evaluated_at: received_at, score_id: randomUUID() },
      ...{ run_id: randomUUID(), data_type: 'numeric', source_kind: 'evaluator' }
    }))
  )
  const ids = whole.map(({ organization_id: id, decision_id, received_at }) => {
    return { organization_id: id, decision_id, received_at, fingerprint: String.raw`\x00` }
  })
  const tables: readonly [string, readonly object[]][] = [
    ['decision_ids', ids],
    ['decisions', rows],
    ['evaluations', outcomes],
    ['later_scores', scores]
  ]
  for (const [table, given] of tables) {
    await database.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(given)]
    )
  }
  await sumUp(database, organization_id)
}

/** Returns the score fields that the usage sums are computed from. */
function countedOf({ name, value, passed, evaluator_id, evaluator_version }: AgentScore) {
  return {
    ...{ name, source_kind: 'evaluator', value: value ?? null, passed: passed ?? null },
    ...{ evaluator_id: evaluator_id ?? '', evaluator_version: evaluator_version ?? 0 }
  }
}

const measures = `count(*) as decisions, coalesce(sum(input_tokens), 0) as input_tokens,
    coalesce(sum(output_tokens), 0) as output_tokens, count(input_tokens) as input_tokens_known,
    count(output_tokens) as output_tokens_known, count(*) filter (where is_error) as errors,
    count(is_error) as errors_known, coalesce(sum(latency_ms::numeric), 0) as latency_ms,
    count(latency_ms) as latency_known`
const measureNames = `decisions, input_tokens, output_tokens, input_tokens_known,
    output_tokens_known, errors, errors_known, latency_ms, latency_known`
const hour = `date_trunc('hour', received_at, 'UTC')`
const agent = `coalesce(agent_id, '')`

/**
 * Queries that compute each sum table from its source rows, keyed by table and columns. Storage
 * maintains the same sums incrementally.
 */
const sums: Readonly<Record<string, string>> = {
  [`decision_hours (organization_id, hour, agent_id, domain, ${measureNames})`]: `
    select organization_id, ${hour}, ${agent}, coalesce(domain, ''), ${measures}
      from decisions where organization_id = $1 group by 1, 2, 3, 4`,
  [`decision_facet_hours (organization_id, hour, agent_id, facet, value, ${measureNames})`]: `
    select organization_id, ${hour}, ${agent}, f.facet, f.value, ${measures}
      from decisions
     cross join lateral (values ('model', model), ('agent_version', agent_version),
                                ('sdk_version', sdk_version)) f(facet, value)
     where organization_id = $1 and f.value is not null group by 1, 2, 3, 4, 5`,
  agents: `
    select organization_id, ${agent}, min(received_at), max(received_at)
      from decisions where organization_id = $1 group by 1, 2`,
  outcome_hours: `
    select organization_id, ${hour}, ${agent}, coalesce(domain, ''), status, verdict, count(*)
      from evaluations where organization_id = $1 group by 1, 2, 3, 4, 5, 6`,
  score_hours: `
    select s.organization_id, date_trunc('hour', d.received_at, 'UTC'), coalesce(d.agent_id, ''),
           coalesce(d.domain, ''), s.name, source_kind, coalesce(evaluator_id, ''),
           coalesce(evaluator_version, 0), count(*), count(value),
           coalesce(sum(value::numeric), 0), coalesce(sum(value::numeric ^ 2), 0),
           count(passed), count(*) filter (where passed)
      from scores s
      join decisions d using (organization_id, decision_id)
     where s.organization_id = $1 group by 1, 2, 3, 4, 5, 6, 7, 8`
}

async function sumUp(database: TestDatabase, organizationId: string): Promise<void> {
  for (const [target, rows] of Object.entries(sums)) {
    const [table] = target.split(' ')
    await database.query(`delete from ${table} where organization_id = $1`, [organizationId])
    await database.query(`insert into ${target} ${rows}`, [organizationId])
  }
}
