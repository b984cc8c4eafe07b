-- Creates tables for decisions, partitioned by UTC day, and for their identities across all days.

-- Keeps ids unique across all days, which a table partitioned by day cannot do. Storage inserts the
-- identities of a batch here before it inserts the decisions. If two decisions have the same id,
-- only the one that is inserted here is stored.
create table decision_ids (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Receipt time of the stored decision. It determines the partition in decisions.
  received_at timestamptz not null,
  -- SHA-256 of the caller's fields except sdk_version. It distinguishes a retry from a different
  -- decision. Empty in a tombstone.
  fingerprint bytea not null,
  -- If set, the row is a tombstone: the decision was erased, and a replay must not store it again.
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

-- Used by retention. BRIN is sufficient, because rows are appended roughly in order of time.
create index decision_ids_by_time on decision_ids
  using brin (received_at) with (autosummarize = on);
-- Storage looks up the erased decisions of each batch. The index is small: erasures are rare.
create index decision_ids_erased on decision_ids (organization_id, decision_id)
  where erased_at is not null;
comment on table decision_ids is
  'One row per decision identity, with a fingerprint to distinguish a retry from another decision.';
call show_to_editors('decision_ids');

-- input and metadata are stored as the JSON text that was sent, and output as a JSON string
-- literal, because jsonb would reject \u0000, rewrite numbers and reorder keys.
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
  -- The columns below are extracted from metadata, if their values fit. A label is `name=value`,
  -- for a top-level string, number or boolean. The number and length of labels are limited.
  labels text[],
  model text,
  agent_version text,
  latency_ms double precision,
  -- Whether `error` in metadata is true or a non-empty string, array or object. Null if it is
  -- absent or a number.
  is_error boolean,
  -- decision_ids maps an id to its received_at. Lists by time read this index backward.
  primary key (organization_id, received_at, decision_id)
) partition by range (received_at);

-- Holds rows of days without a partition, so that a missing partition never stops storage.
create table decisions_default partition of decisions default;

-- These indexes contain the texts and not hashes of them: with row security, an index can serve
-- only leakproof conditions, and a hash of a column is not leakproof. Longer texts do not fit in an
-- index entry, so they are searched by time.
create index decisions_by_agent on decisions
  (organization_id, agent_id collate "C", received_at desc, decision_id desc)
  where octet_length(agent_id) <= 1024;
create index decisions_by_session on decisions
  (organization_id, session_id collate "C", received_at desc, decision_id desc)
  where octet_length(session_id) <= 1024;
create index decisions_by_domain on decisions
  (organization_id, domain collate "C", received_at desc, decision_id desc)
  where octet_length(domain) <= 1024;
-- Few decisions have an error, but users search for them most often.
create index decisions_errors on decisions
  (organization_id, received_at desc, decision_id desc) where is_error;
comment on table decisions is
  'One row per decision, partitioned by UTC day of received_at; payloads are JSON text.';
call show_to_editors('decisions');

-- Creates the partition of one UTC day and moves its rows from the default partition. Returns the
-- number of rows, or null if the partition exists. Set a short lock_timeout and retry, because the
-- function waits for transactions that use the default partition, and blocks later transactions.
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
  -- Only one instance creates the partition. The others find it when they get the lock.
  perform pg_advisory_xact_lock(hashtextextended('sluice decisions partitions', 0));
  if to_regclass(partition_name) is not null then
    return null;
  end if;
  -- Attaches a separate table, because "create … partition of" would lock the parent even if no row
  -- is moved.
  execute format('create table %I (like %I including all)', partition_name, parent);
  -- This check avoids a scan of the table when it is attached.
  execute format(
    'alter table %I add constraint day_of_partition check (received_at >= %L and received_at < %L)',
    partition_name, day_begin, day_end
  );
  moved := move_day(parent, partition_name, day_begin, day_end);
  -- A statement that waits for the default partition has already looked up the partitions, so it
  -- would not read the new one. If rows were moved, statements must therefore wait for the parent,
  -- before they look up its partitions.
  if moved > 0 then
    execute format('lock table %I in access exclusive mode', parent);
  end if;
  -- Prevents further inserts, and then moves the few rows that were added during the first move.
  execute format('lock table %I in access exclusive mode', parent || '_default');
  late := move_day(parent, partition_name, day_begin, day_end);
  if late > 0 then
    execute format('lock table %I in access exclusive mode', parent);
  end if;
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    parent, partition_name, day_begin, day_end
  );
  execute format('alter table %I drop constraint day_of_partition', partition_name);
  return moved + late;
end
$$;

-- Moves rows from the default partition to a table. Readers see each row exactly once.
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
