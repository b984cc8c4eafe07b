-- Adds the columns that place a decision in a trace, and an index to find the decisions of a trace.

-- Like model, these columns are extracted from metadata, if their values fit.
alter table decisions
  add column trace_id text,
  -- Callers choose this id, so a decision with it may not exist.
  add column parent_decision_id uuid,
  add column kind text,
  add column name text;

-- Decisions without a trace have no entry, so they cost nothing here. The decisions of a parent are
-- searched within its trace. An index on labels could not serve readers, because with row security
-- an index can serve only leakproof conditions.
create index decisions_by_trace on only decisions
  (organization_id, trace_id collate "C", received_at desc, decision_id desc)
  where octet_length(trace_id) <= 1024;

-- Later partitions get the index when they are created. Partitions with rows get none, because
-- building it would block storage, and none of their rows has a trace yet.
do $$
declare
  part text;
  has_rows boolean;
begin
  for part in
    select inhrelid::regclass from pg_inherits where inhparent = 'decisions'::regclass
  loop
    execute format('select exists (select from %I)', part) into has_rows;
    continue when has_rows;
    execute format(
      'create index %I on %I
         (organization_id, trace_id collate "C", received_at desc, decision_id desc)
         where octet_length(trace_id) <= 1024',
      part || '_by_trace', part
    );
    execute format('alter index decisions_by_trace attach partition %I', part || '_by_trace');
  end loop;
end
$$;
