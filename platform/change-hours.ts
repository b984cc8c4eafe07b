/** SQL that changes the sums of the hours, by what is stored and by what is erased alike. */

/**
 * Adds the rows of `source` to `decision_hours`, or takes them off; `source` has the columns of
 * decisions. In the order of the key: transactions that change the same hours wait for each other
 * and cannot deadlock. The changed rows are `h`.
 */
export function changeHours(source: string, sign: '+' | '-'): string {
  return `
  insert into decision_hours as h (organization_id, hour, agent_id, domain, decisions, input_tokens,
                                   output_tokens, input_tokens_known, output_tokens_known)
  select organization_id, date_trunc('hour', received_at, 'UTC') as hour,
         coalesce(agent_id, '') as agent_id, coalesce(domain, '') as domain,
         ${sign}count(*), ${sign}coalesce(sum(input_tokens), 0),
         ${sign}coalesce(sum(output_tokens), 0),
         ${sign}count(input_tokens), ${sign}count(output_tokens)
    from ${source}
   group by 1, 2, 3, 4
   order by 1, 2, 3, 4
  on conflict (organization_id, hour, agent_id, domain) do update
     set decisions = h.decisions + excluded.decisions,
         input_tokens = h.input_tokens + excluded.input_tokens,
         output_tokens = h.output_tokens + excluded.output_tokens,
         input_tokens_known = h.input_tokens_known + excluded.input_tokens_known,
         output_tokens_known = h.output_tokens_known + excluded.output_tokens_known`
}
