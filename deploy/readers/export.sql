-- Queries an export with DuckDB: `day.ndjson` from GET /v1/decisions/export?format=ndjson.
create or replace table decisions as
select * from read_ndjson('day.ndjson', columns = {
  decision_id: 'uuid', received_at: 'timestamp', agent_id: 'varchar', session_id: 'varchar',
  domain: 'varchar', input: 'json', output: 'varchar', metadata: 'json',
  input_tokens: 'bigint', output_tokens: 'bigint', evaluation: 'json'
});

-- Counts the decisions of each agent, how many passed, and their output tokens.
select agent_id, count(*) as decisions,
  count(*) filter (evaluation ->> '$.verdict' = 'pass') as passed,
  sum(output_tokens) as output_tokens
from decisions
group by agent_id
order by decisions desc;
