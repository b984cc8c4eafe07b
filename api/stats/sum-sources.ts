/** Defines the sources of sums: their tables, sums and groups. */
import { raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'

export const facetNames = ['model', 'agent_version', 'sdk_version'] as const
export type FacetName = (typeof facetNames)[number]

export const groupNames = ['agent_id', 'domain', ...facetNames, 'status', 'verdict'] as const
export type SumGroupName = (typeof groupNames)[number]

export function isGroup(name: string): name is SumGroupName {
  return (groupNames as readonly string[]).includes(name)
}

/** The sums of decisions: columns of decision_hours and decision_facet_hours. */
export const decisionSums = [
  'decisions',
  'input_tokens',
  'output_tokens',
  'input_tokens_known',
  'output_tokens_known',
  'errors',
  'errors_known',
  'latency_ms',
  'latency_known'
] as const
const scoreSums = ['scores', 'valued', 'value_sum', 'value_squares', 'judged', 'passed'] as const
type CostSum = 'tokens' | 'usd' | 'priced' | 'priced_tokens'
export type SumName = (typeof decisionSums)[number] | (typeof scoreSums)[number] | CostSum

/** Sums by name. All of them are additive. */
export type Sums = Readonly<Partial<Record<SumName, number>>>

/**
 * A source of sums. `rows` must name its rows `h`. Without `before`, they must have the columns
 * `organization_id` and `hour`. All strings become part of SQL statements unescaped, so they must
 * not contain user input.
 */
export interface SumSource {
  /** The FROM clause. */
  readonly rows: string
  readonly groups: Readonly<Partial<Record<SumGroupName, string>>>
  /**
   * Returns the definitions of the tables that `rows` refers to, each followed by a comma. They
   * apply the conditions, and `h` has a column `bucket`.
   */
  readonly before?: (conditions: Sql, bucket: Sql, organizationId: string) => Sql
  readonly sums: Readonly<Partial<Record<SumName, string>>>
  /** Name of the sum that groups are ranked by. */
  readonly size: SumName
  /** Columns that identify a series in addition to the groups. */
  readonly identity?: readonly string[]
}

/** Returns SQL for the sum of each column. */
function totalsOf(columns: readonly SumName[]): SumSource['sums'] {
  return Object.fromEntries(columns.map((name) => [name, `sum(h.${name})`]))
}

export const decisionSource: SumSource = {
  rows: 'decision_hours h',
  groups: { agent_id: "nullif(h.agent_id, '')", domain: "nullif(h.domain, '')" },
  sums: totalsOf(decisionSums),
  size: 'decisions'
}

export function facetSource(facet: FacetName): SumSource {
  return {
    ...decisionSource,
    rows: `(select * from decision_facet_hours where facet = '${facet}') h`,
    groups: { agent_id: "nullif(h.agent_id, '')", [facet]: 'h.value' }
  }
}

export const outcomeSource: SumSource = {
  rows: 'outcome_hours h',
  groups: { ...decisionSource.groups, status: 'h.status', verdict: 'h.verdict' },
  sums: {
    decisions: 'sum(h.decisions)',
    judged: "coalesce(sum(h.decisions) filter (where h.verdict <> 'none'), 0)",
    passed: "coalesce(sum(h.decisions) filter (where h.verdict = 'pass'), 0)"
  },
  size: 'decisions'
}

/** Also counts decisions without a stored run, with status null and verdict `none`. */
export const stateSource: SumSource = {
  ...outcomeSource,
  rows: `(
         select organization_id, hour, agent_id, domain, status, verdict, decisions
           from outcome_hours
          union all
         select organization_id, hour, agent_id, domain, null, 'none', decisions
           from decision_hours
          union all
         select organization_id, hour, agent_id, domain, null, 'none', -decisions
           from outcome_hours
       ) h`
}

export const scoreSource: SumSource = {
  rows: 'score_hours h',
  groups: decisionSource.groups,
  sums: totalsOf(scoreSums),
  size: 'scores',
  identity: ['h.name', 'h.source_kind', 'h.evaluator_id', 'h.evaluator_version']
}

/** The number of decisions, their tokens, and how many decisions report tokens. */
const priced = decisionSums.slice(0, 5)
const sumsOfPriced = raw(priced.map((name) => `sum(h.${name}) as ${name}`).join(', '))
const takenOff = raw(priced.map((name) => `-${name}`).join(', '))

/**
 * Computes costs from tokens by model. The tokens of decisions without a model are the total minus
 * the tokens by model. Uses the price of the model in the agent's profile, or else the price of
 * `*`. Aggregates the hours before joining the prices, so that the join has few rows.
 */
export const costSource: SumSource = {
  before: (conditions, bucket, organizationId) => sql`prices as materialized (
       select p.agent_id, each.key as model,
              (each.value ->> 'input_usd_per_million')::float8 as input_usd,
              (each.value ->> 'output_usd_per_million')::float8 as output_usd
         from agent_profiles p
        cross join lateral json_each(p.prices::json) each
        where p.organization_id = ${organizationId}
          and p.prices is not null
     ), models as materialized (
       select h.agent_id, h.value as model, ${bucket} as bucket, ${sumsOfPriced}
         from decision_facet_hours h
        where h.facet = 'model'
          and ${conditions}
        group by 1, 2, 3
     ), tokens as (
       select agent_id, model, bucket, ${raw(priced.join(', '))} from models
        union all
       select h.agent_id, null, h.bucket, ${sumsOfPriced}
         from (
           select h.agent_id, ${bucket} as bucket, ${sumsOfPriced}
             from decision_hours h
            where ${conditions}
            group by 1, 2
            union all
           select agent_id, bucket, ${takenOff} from models
         ) h
        group by 1, 3
     ),`,
  rows: `tokens h
       left join prices own on own.agent_id = h.agent_id and own.model = h.model
       left join prices other on other.agent_id = h.agent_id and other.model = '*'`,
  groups: { agent_id: "nullif(h.agent_id, '')", model: 'h.model' },
  sums: {
    decisions: 'sum(h.decisions)',
    tokens: 'sum(h.input_tokens + h.output_tokens)',
    usd: `coalesce(sum(h.input_tokens::float8 * coalesce(own.input_usd, other.input_usd)
              + h.output_tokens::float8 * coalesce(own.output_usd, other.output_usd)) / 1e6, 0)`,
    priced: `coalesce(sum(greatest(h.input_tokens_known, h.output_tokens_known))
              filter (where coalesce(own.input_usd, other.input_usd) is not null), 0)`,
    priced_tokens: `coalesce(sum(h.input_tokens + h.output_tokens)
              filter (where coalesce(own.input_usd, other.input_usd) is not null), 0)`
  },
  size: 'decisions'
}
