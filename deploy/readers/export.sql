-- An export of the API in DuckDB: `day.ndjson`, as GET /v1/decisions/export?format=ndjson gives it.
create or replace table decisions as
select * from read_ndjson('day.ndjson', columns = {
  decision_id: 'uuid', received_at: 'timestamp', agent_id: 'varchar', session_id: 'varchar',
  domain: 'varchar', input: 'json', output: 'varchar', metadata: 'json',
  input_tokens: 'bigint', output_tokens: 'bigint', evaluation: 'json'
});

-- Decisions by agent, and how many of them passed.
select agent_id, count(*) as decisions,
  count(*) filter (evaluation ->> '$.verdict' = 'pass') as passed,
  sum(output_tokens) as output_tokens
from decisions
group by agent_id
order by decisions desc;
