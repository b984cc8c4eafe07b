-- Days of decisions: made without disturbing anybody, out of the default partition if need be.

drop function ensure_decisions_partition(date);

-- Makes the partition of one UTC day, with the rows of that day that the default partition holds;
-- returns how many, or null when the partition is there. Set a short lock_timeout and try again:
-- it waits for those who use the default partition, and whoever comes later waits behind it.
create function ensure_decisions_partition(day date) returns bigint language plpgsql as $$
declare
  partition_name text := 'decisions_' || to_char(day, 'YYYYMMDD');
  day_begin timestamptz := day::timestamp at time zone 'utc';
  day_end timestamptz := (day + 1)::timestamp at time zone 'utc';
  moved bigint;
  late bigint;
begin
  if to_regclass(partition_name) is not null then
    return null;
  end if;
  -- One instance at a time; whoever waited finds it made.
  perform pg_advisory_xact_lock(hashtextextended('sluice decisions partitions', 0));
  if to_regclass(partition_name) is not null then
    return null;
  end if;
  -- A table of its own that is attached: "create … partition of" would lock all of decisions.
  execute format('create table %I (like decisions including all)', partition_name);
  -- What the check says already need not be looked up when it is attached.
  execute format(
    'alter table %I add constraint day_of_partition check (received_at >= %L and received_at < %L)',
    partition_name, day_begin, day_end
  );
  moved := move_decisions(partition_name, day_begin, day_end);
  -- Nobody adds rows of the day from here on; what came while the others moved is little.
  lock table decisions_default in access exclusive mode;
  late := move_decisions(partition_name, day_begin, day_end);
  execute format(
    'alter table decisions attach partition %I for values from (%L) to (%L)',
    partition_name, day_begin, day_end
  );
  execute format('alter table %I drop constraint day_of_partition', partition_name);
  return moved + late;
end
$$;

-- Moves rows of the default partition into a table; readers see them there or here, never twice.
create function move_decisions(target text, since timestamptz, until timestamptz) returns bigint
language plpgsql as $$
declare
  moved bigint;
begin
  execute format(
    'with leaving as (
       delete from decisions_default where received_at >= %L and received_at < %L returning *
     )
     insert into %I select * from leaving',
    since, until, target
  );
  get diagnostics moved = row_count;
  return moved;
end
$$;

-- Retention looks for old rows; all of these are appended more or less in the order of time.
create index evaluation_runs_by_time on evaluation_runs
  using brin (evaluated_at) with (autosummarize = on);
create index scores_by_time on scores using brin (evaluated_at) with (autosummarize = on);
create index decision_hours_by_time on decision_hours using brin (hour) with (autosummarize = on);
