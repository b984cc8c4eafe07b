-- Creates tables for the progress of consumers, marks on dead-letter records, and erasures.

create table storage_progress (
  topic text not null,
  partition integer not null,
  -- All records of the partition before this offset are stored or dead-lettered. In a dead-letter
  -- topic, all records before this offset have been read for the index.
  next_offset bigint not null,
  -- All records that the partition held at this time are stored or dead-lettered or, in a
  -- dead-letter topic, have been read for the index. 1970 while the time is unknown.
  as_of timestamptz not null,
  primary key (topic, partition)
);
comment on table storage_progress is
  'Progress of storage in each partition. The API derives as_of and lag_ms from it.';
grant select on storage_progress to sluice_reader, sluice_editor;

create table consumed_offsets (
  group_id text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  -- A member takes a new epoch each time it joins its group. If it finds a later epoch here, it has
  -- lost the partition and must not write.
  epoch bigint not null,
  recorded_at timestamptz not null default now(),
  primary key (group_id, topic, partition)
);
create sequence consumer_epochs;
comment on table consumed_offsets is
  'Offsets of each consumer group, written in the transaction that stores the batch.';

-- Kafka cannot delete single records, so this table records which ones were replayed or dropped.
create table dead_letter_marks (
  -- The dead-letter topic and the position of the record in it.
  topic text not null,
  partition integer not null,
  letter_offset bigint not null,
  -- When the record was written. It is part of the key, because a topic that was deleted and
  -- recreated has different records at the same offsets.
  written_at timestamptz not null,
  action text not null check (action in ('replayed', 'dropped')),
  marked_at timestamptz not null default now(),
  marked_by text not null,
  primary key (topic, partition, letter_offset, written_at)
);
comment on table dead_letter_marks is
  'Dead-letter records that an operator replayed or dropped, with the operator and time.';

create table erasures (
  erasure_id uuid primary key,
  organization_id uuid not null,
  scope text not null check (scope in ('decision', 'session', 'agent', 'organization')),
  -- The id of the decision, session or agent; null for the whole organization.
  subject text check ((subject is null) = (scope = 'organization')),
  -- Data received up to this time is erased, including data that is not stored yet.
  received_until timestamptz not null,
  requested_at timestamptz not null default now(),
  requested_by text not null,
  reason text,
  -- Null until everything is erased.
  finished_at timestamptz,
  decisions bigint not null default 0,
  evaluation_runs bigint not null default 0,
  scores bigint not null default 0
);
-- Storage reads the recent erasures that may cover a batch.
create index erasures_by_organization on erasures (organization_id, received_until);
comment on table erasures is
  'Requests to erase data: scope, who requested it, progress and result.';
-- The API requests erasures, and storage executes them.
call edit_by_organization('erasures', 'insert', 'update (received_until)');
