/** Compares the usage sums in the database with the rows that they were computed from. */
import { countedSql } from '../../store/packed-sql.ts'
import type { Row, TestDatabase } from './database.ts'

const hour = `date_trunc('hour', received_at, 'UTC') as hour`
const agent = `coalesce(agent_id, '') as agent_id`
const domain = `coalesce(domain, '') as domain`
const sums = `count(*) as decisions, coalesce(sum(input_tokens), 0) as input_tokens,
  coalesce(sum(output_tokens), 0) as output_tokens, count(input_tokens) as input_tokens_known,
  count(output_tokens) as output_tokens_known, count(*) filter (where is_error) as errors,
  count(is_error) as errors_known, coalesce(sum(latency_ms::numeric), 0) as latency_ms,
  count(latency_ms) as latency_known`
const sumNames = `decisions, input_tokens, output_tokens, input_tokens_known, output_tokens_known,
  errors, errors_known, latency_ms, latency_known`
const scoreSums = `count(*) as scores, count(value) as valued,
  coalesce(sum(value::numeric), 0) as value_sum,
  coalesce(sum(value::numeric * value::numeric), 0) as value_squares,
  count(c.passed) as judged, count(*) filter (where c.passed) as passed`

/** Queries for the stored and the recomputed rows of each table. */
const tables: readonly (readonly [table: string, kept: string, summed: string])[] = [
  [
    'decision_hours',
    `select organization_id, hour, agent_id, domain, ${sumNames} from decision_hours`,
    `select organization_id, ${hour}, ${agent}, ${domain}, ${sums}
       from decisions group by 1, 2, 3, 4`
  ],
  [
    'decision_facet_hours',
    `select organization_id, hour, agent_id, facet, value, ${sumNames} from decision_facet_hours`,
    `select organization_id, ${hour}, ${agent}, facet, value, ${sums}
       from decisions, lateral (values ('model', model), ('agent_version', agent_version),
                                       ('sdk_version', nullif(sdk_version, ''))) t (facet, value)
      where value is not null group by 1, 2, 3, 4, 5`
  ],
  [
    'agents',
    `select a.organization_id, a.agent_id from agents a
      where not exists (select from decisions d where d.organization_id = a.organization_id
                           and coalesce(d.agent_id, '') = a.agent_id
                           and d.received_at not between a.first_received_at
                                                     and a.last_received_at)`,
    `select distinct organization_id, ${agent} from decisions`
  ],
  [
    'outcome_hours',
    `select organization_id, hour, agent_id, domain, status, verdict, decisions
       from outcome_hours`,
    `select organization_id, ${hour}, ${agent}, ${domain}, status, verdict, count(*)
       from evaluations group by 1, 2, 3, 4, 5, 6`
  ],
  [
    'score_hours',
    `select organization_id, hour, agent_id, domain, name, source_kind, evaluator_id,
            evaluator_version, scores, valued, value_sum, value_squares, judged, passed
       from score_hours`,
    `select organization_id, ${hour}, ${agent}, ${domain}, name, source_kind, evaluator_id,
            evaluator_version, ${scoreSums}
       from evaluations e, jsonb_to_recordset(${countedSql})
            as c (name text, source_kind text, evaluator_id text, evaluator_version integer,
                  value float8, passed boolean)
      group by 1, 2, 3, 4, 5, 6, 7, 8`
  ],
  [
    'evaluations',
    `select organization_id, decision_id from evaluations`,
    // An evaluation without runs, inserted by a correction, has the verdict `none` and a status
    // that cannot be recomputed.
    `select organization_id, decision_id from evaluation_runs
      union
     select organization_id, decision_id from evaluations
      where run_kinds is null and verdict = 'none' and status in ('pending', 'not_evaluated')`
  ]
]

/** Returns the sums that differ from their source rows. Null checks every organization. */
export async function findSumDifferences(
  database: TestDatabase,
  organizationId: string | null = null
): Promise<Row[]> {
  const differing: Row[] = []
  for (const [table, kept, summed] of tables) {
    const rows = await database.query(
      `with kept as (select * from (${kept}) k where $1::uuid is null or organization_id = $1),
            summed as (select * from (${summed}) s where $1::uuid is null or organization_id = $1)
       (select 'not kept' as wrong, * from (table summed except table kept) as missing)
       union all
       (select 'not so', * from (table kept except table summed) as foreign_sums)`,
      [organizationId]
    )
    differing.push(...rows.map((row) => ({ table, ...row })))
  }
  return differing
}
