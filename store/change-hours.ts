/** Builds SQL that updates the hourly sums of decisions when rows are stored or erased. */

/** Sums of decisions: column name and aggregate. Both tables of hourly sums have these columns. */
const sums = [
  ['decisions', 'count(*)'],
  ['input_tokens', 'coalesce(sum(input_tokens), 0)'],
  ['output_tokens', 'coalesce(sum(output_tokens), 0)'],
  ['input_tokens_known', 'count(input_tokens)'],
  ['output_tokens_known', 'count(output_tokens)'],
  ['errors', 'count(*) filter (where is_error)'],
  ['errors_known', 'count(is_error)'],
  // Sums use numeric, which is exact, so subtracting a value restores the previous sum.
  ['latency_ms', 'coalesce(sum(latency_ms::numeric), 0)'],
  ['latency_known', 'count(latency_ms)']
] as const

const names = sums.map(([name]) => name).join(', ')
const changed = sums.map(([name]) => `${name} = h.${name} + excluded.${name}`).join(', ')
const summed = sums.map(([name, sum]) => `${sum} as ${name}`).join(', ')
const added = (sign: '+' | '-'): string => sums.map(([name]) => `${sign}sum(${name})`).join(', ')

/** Columns of decisions that `sumDecisions` requires. */
export const summedColumns = `organization_id, received_at, agent_id, domain, input_tokens,
  output_tokens, sdk_version, model, agent_version, latency_ms, is_error`

/**
 * Continues a `with … as (…)` clause. Sums the rows of `source` once, grouped by the keys and
 * facets of both tables. `source` must have the `summedColumns`. `changeHours` then applies the few
 * resulting rows to the tables.
 */
export function sumDecisions(source: string): string {
  return `,
  summed as (
    select organization_id, date_trunc('hour', received_at, 'UTC') as hour,
           coalesce(agent_id, '') as agent_id, coalesce(domain, '') as domain,
           model, agent_version, nullif(sdk_version, '') as sdk_version,
           min(received_at) as first_received_at, max(received_at) as last_received_at, ${summed}
      from ${source}
     group by 1, 2, 3, 4, 5, 6, 7
  )`
}

/**
 * Continues `sumDecisions`: adds the sums to `decision_hours` and `decision_facet_hours`, or
 * subtracts them. Rows are sorted by key, so that transactions that change the same hours wait for
 * each other and cannot deadlock. Postgres runs the main statement first, then the parts of the
 * `with` clause from last to first. Storage and erasure both use this SQL, so their transactions
 * lock the tables in the same order. The changed rows of `decision_hours` are named `h`.
 */
export function changeHours(sign: '+' | '-'): string {
  return `,
  changed_facets as (
    insert into decision_facet_hours as h (organization_id, hour, agent_id, facet, value, ${names})
    select organization_id, hour, agent_id, facet, value, ${added(sign)}
      from summed
     cross join lateral (values ('model', model), ('agent_version', agent_version),
                                ('sdk_version', sdk_version)) as facets (facet, value)
     where value is not null
     group by 1, 2, 3, 4, 5
     order by 1, 2, 3, 4, 5
    on conflict (organization_id, hour, agent_id, facet, value) do update set ${changed}
  )
  insert into decision_hours as h (organization_id, hour, agent_id, domain, ${names})
  select organization_id, hour, agent_id, domain, ${added(sign)}
    from summed
   group by 1, 2, 3, 4
   order by 1, 2, 3, 4
  on conflict (organization_id, hour, agent_id, domain) do update set ${changed}`
}
