-- Decisions: who is already here first, then the rows by day.

-- A day partition cannot enforce that an id is unique over all days, so this table does. It is
-- written
-- first in every transaction, and whoever wins here is the one that is stored.
create table decision_ids (
  organization_id uuid not null,
  decision_id uuid not null,
  -- received_at of the winner: leads to its day.
  received_at timestamptz not null,
  -- SHA-256 over the caller's fields but sdk_version: tells a retry from another decision.
  fingerprint bytea not null,
  primary key (organization_id, decision_id)
) partition by hash (organization_id, decision_id);

create table decision_ids_0 partition of decision_ids for values with (modulus 8, remainder 0);
create table decision_ids_1 partition of decision_ids for values with (modulus 8, remainder 1);
create table decision_ids_2 partition of decision_ids for values with (modulus 8, remainder 2);
create table decision_ids_3 partition of decision_ids for values with (modulus 8, remainder 3);
create table decision_ids_4 partition of decision_ids for values with (modulus 8, remainder 4);
create table decision_ids_5 partition of decision_ids for values with (modulus 8, remainder 5);
create table decision_ids_6 partition of decision_ids for values with (modulus 8, remainder 6);
create table decision_ids_7 partition of decision_ids for values with (modulus 8, remainder 7);

-- input, output and metadata are JSON text as sent (output as its JSON literal): jsonb would refuse
-- \u0000, rewrite numbers and reorder keys.
create table decisions (
  organization_id uuid not null,
  decision_id uuid not null,
  received_at timestamptz not null,
  stored_at timestamptz not null default now(),
  input text not null,
  output text not null,
  agent_id text,
  session_id text,
  domain text,
  metadata text,
  input_tokens bigint,
  output_tokens bigint,
  sdk_version text,
  primary key (organization_id, decision_id, received_at)
) partition by range (received_at);

-- Takes what no day partition covers, so that a missing partition never stops the storing.
create table decisions_default partition of decisions default;

create index decisions_by_time on decisions (organization_id, received_at desc, decision_id desc);

-- A session id may have 1,000 characters; a hash of it always fits an index entry.
create index decisions_by_agent on decisions
  (organization_id, hashtextextended(agent_id, 0), received_at desc, decision_id desc);
create index decisions_by_session on decisions
  (organization_id, hashtextextended(session_id, 0), received_at desc, decision_id desc);

-- Makes the partition of one UTC day; a no-op when it is there.
create function ensure_decisions_partition(day date) returns void language plpgsql as $$
declare
  partition_name text := 'decisions_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(partition_name) is not null then
    return;
  end if;
  execute format(
    'create table %I partition of decisions for values from (%L) to (%L)',
    partition_name,
    (day::text || ' 00:00:00+00')::timestamptz,
    ((day + 1)::text || ' 00:00:00+00')::timestamptz
  );
end
$$;
