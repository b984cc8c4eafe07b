/** The tables of sums: what is summed in each, and by what it can be grouped. */

export const facetNames = ['model', 'agent_version', 'sdk_version'] as const
export type FacetName = (typeof facetNames)[number]

export const groupNames = ['agent_id', 'domain', ...facetNames, 'status', 'verdict'] as const
export type GroupName = (typeof groupNames)[number]

/** Numbers by name; all of them can be added. */
export type Sums = Readonly<Record<string, number>>

/** Rows `h` with `organization_id` and `hour`; `$1` is the organization. */
export interface SumSource {
  /** What stands behind `from`. */
  readonly rows: string
  readonly groups: Readonly<Partial<Record<GroupName, string>>>
  readonly hasDomain: boolean
  /** What has to be summed up first; its rows have a `bucket` and fulfil the conditions. */
  readonly before?: (conditions: string, bucket: string) => string
  readonly sums: Readonly<Record<string, string>>
  /** The sum by which the largest groups are found. */
  readonly size: string
  /** What else tells series apart, beside the groups. */
  readonly identity?: readonly string[]
}

const decisionSums = {
  decisions: 'sum(h.decisions)',
  input_tokens: 'sum(h.input_tokens)',
  output_tokens: 'sum(h.output_tokens)',
  input_tokens_known: 'sum(h.input_tokens_known)',
  output_tokens_known: 'sum(h.output_tokens_known)',
  errors: 'sum(h.errors)',
  errors_known: 'sum(h.errors_known)',
  latency_ms: 'sum(h.latency_ms)',
  latency_known: 'sum(h.latency_known)'
}

export const decisionSource: SumSource = {
  rows: 'decision_hours h',
  groups: { agent_id: "nullif(h.agent_id, '')", domain: "nullif(h.domain, '')" },
  hasDomain: true,
  sums: decisionSums,
  size: 'decisions'
}

export function facetSource(facet: FacetName): SumSource {
  return {
    // A name of ours, from the list above.
    rows: `(select * from decision_facet_hours where facet = '${facet}') h`,
    groups: { agent_id: "nullif(h.agent_id, '')", [facet]: 'h.value' },
    hasDomain: false,
    sums: decisionSums,
    size: 'decisions'
  }
}

export const outcomeSource: SumSource = {
  rows: 'outcome_hours h',
  groups: { ...decisionSource.groups, status: 'h.status', verdict: 'h.verdict' },
  hasDomain: true,
  sums: {
    decisions: 'sum(h.decisions)',
    judged: "coalesce(sum(h.decisions) filter (where h.verdict <> 'none'), 0)",
    passed: "coalesce(sum(h.decisions) filter (where h.verdict = 'pass'), 0)"
  },
  size: 'decisions'
}

/** With those of which no run is stored: their status is not known here, their verdict none. */
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
  hasDomain: true,
  sums: {
    scores: 'sum(h.scores)',
    valued: 'sum(h.valued)',
    value_sum: 'sum(h.value_sum)',
    value_squares: 'sum(h.value_squares)',
    judged: 'sum(h.judged)',
    passed: 'sum(h.passed)'
  },
  size: 'scores',
  identity: ['h.name', 'h.source_kind', 'h.evaluator_id', 'h.evaluator_version']
}

const tokens = ['decisions', 'input_tokens', 'output_tokens']
const priced = [...tokens, 'input_tokens_known', 'output_tokens_known']
const sumsOfPriced = priced.map((name) => `sum(h.${name}) as ${name}`).join(', ')
const takenOff = priced.map((name) => `-${name}`).join(', ')

/**
 * By model, and with the decisions that name none: all of an hour without those that do. Each has
 * the price of its model, or else the one for any model, as far as its agent's profile has them.
 * Hours are summed up before, so that few rows meet their prices.
 */
export const costSource: SumSource = {
  before: (conditions, bucket) => `prices as materialized (
       select p.agent_id, each.key as model,
              (each.value ->> 'input_usd_per_million')::float8 as input_usd,
              (each.value ->> 'output_usd_per_million')::float8 as output_usd
         from agent_profiles p
        cross join lateral json_each(p.prices::json) each
        where p.organization_id = $1
          and p.prices is not null
     ), models as materialized (
       select h.agent_id, h.value as model, ${bucket} as bucket, ${sumsOfPriced}
         from decision_facet_hours h
        where h.facet = 'model'
          and ${conditions}
        group by 1, 2, 3
     ), tokens as (
       select agent_id, model, bucket, ${priced.join(', ')} from models
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
     )`,
  rows: `tokens h
       left join prices own on own.agent_id = h.agent_id and own.model = h.model
       left join prices other on other.agent_id = h.agent_id and other.model = '*'`,
  groups: { agent_id: "nullif(h.agent_id, '')", model: 'h.model' },
  hasDomain: false,
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
