-- Decisions by UTC day, and their identities over all days.

-- A partition by day cannot keep an id unique over all days, so this table does. Storage writes it
-- first in each transaction; of two decisions with one id, the one that is inserted here is stored.
create table decision_ids (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Of the stored decision, so that its day is known.
  received_at timestamptz not null,
  -- SHA-256 over the caller's fields except sdk_version: tells a retry from another decision.
  -- Empty in a tombstone.
  fingerprint bytea not null,
  -- Makes the row a tombstone: the decision was erased, and a replay must not store it again.
  erased_at timestamptz,
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

-- For retention. Rows are appended more or less in the order of time, so BRIN suffices here and on
-- the tables below.
create index decision_ids_by_time on decision_ids
  using brin (received_at) with (autosummarize = on);
-- Storage looks up the erased decisions of each batch; few identities are erased.
create index decision_ids_erased on decision_ids (organization_id, decision_id)
  where erased_at is not null;
comment on table decision_ids is
  'One row per decision identity, with a fingerprint to distinguish a retry from another decision.';
call show_to_editors('decision_ids');

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
  -- The rest is taken from metadata, as far as it fits.
  -- `name=text` of top-level texts, numbers and booleans; limited in number and length.
  labels text[],
  model text,
  agent_version text,
  latency_ms double precision,
  -- True also where `error` is a text that is not empty.
  is_error boolean,
  -- decision_ids leads from an ID to its received_at. Lists by time read the key backward.
  primary key (organization_id, received_at, decision_id)
) partition by range (received_at);

-- Takes rows of days without a partition, so that a missing partition never stops storage.
create table decisions_default partition of decisions default;

-- With row security an index serves only leakproof conditions, and a hash of a column is not
-- leakproof. Longer texts do not fit an index entry; they are found by their time.
create index decisions_by_agent on decisions
  (organization_id, agent_id collate "C", received_at desc, decision_id desc)
  where octet_length(agent_id) <= 1024;
create index decisions_by_session on decisions
  (organization_id, session_id collate "C", received_at desc, decision_id desc)
  where octet_length(session_id) <= 1024;
create index decisions_by_domain on decisions
  (organization_id, domain collate "C", received_at desc, decision_id desc)
  where octet_length(domain) <= 1024;
-- Few decisions have an error, and users search for them most.
create index decisions_errors on decisions
  (organization_id, received_at desc, decision_id desc) where is_error;
comment on table decisions is
  'One row per decision, partitioned by UTC day of received_at; payloads are JSON text.';
call show_to_editors('decisions');

-- Makes the partition of one UTC day, with the rows of that day in the default partition. Returns
-- the number of rows, or null when the partition exists. Set a short lock_timeout and retry: it
-- waits for transactions that use the default partition, and later ones wait for it.
create function ensure_day_partition(parent text, day date) returns bigint
language plpgsql as $$
declare
  partition_name text := parent || '_' || to_char(day, 'YYYYMMDD');
  day_begin timestamptz := day::timestamp at time zone 'utc';
  day_end timestamptz := (day + 1)::timestamp at time zone 'utc';
  moved bigint;
  late bigint;
begin
  if to_regclass(partition_name) is not null then
    return null;
  end if;
  -- One instance at a time; the others find the partition when they get the lock.
  perform pg_advisory_xact_lock(hashtextextended('sluice decisions partitions', 0));
  if to_regclass(partition_name) is not null then
    return null;
  end if;
  -- Attach a separate table: "create … partition of" would lock all of the parent.
  execute format('create table %I (like %I including all)', partition_name, parent);
  -- With this check, attaching the table does not scan it.
  execute format(
    'alter table %I add constraint day_of_partition check (received_at >= %L and received_at < %L)',
    partition_name, day_begin, day_end
  );
  moved := move_day(parent, partition_name, day_begin, day_end);
  -- From here on no rows of the day are added; few were added during the move.
  execute format('lock table %I in access exclusive mode', parent || '_default');
  late := move_day(parent, partition_name, day_begin, day_end);
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    parent, partition_name, day_begin, day_end
  );
  execute format('alter table %I drop constraint day_of_partition', partition_name);
  return moved + late;
end
$$;

-- Moves rows of the default partition into a table; a reader sees each row exactly once.
create function move_day(parent text, target text, since timestamptz, until timestamptz)
returns bigint language plpgsql as $$
declare
  moved bigint;
begin
  execute format(
    'with leaving as (
       delete from %I where received_at >= %L and received_at < %L returning *
     )
     insert into %I select * from leaving',
    parent || '_default', since, until, target
  );
  get diagnostics moved = row_count;
  return moved;
end
$$;
