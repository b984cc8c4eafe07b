-- What storage settled, sums by the hour, and what was erased.

-- Written in the transaction that stores a batch: everything of the partition before next_offset
-- is in these tables, or is on its way to the dead letters.
create table consumed_offsets (
  group_id text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  -- Taken anew by a member each time it joins its group. Who finds a later one than his own here
  -- has lost the partition meanwhile, and writes nothing more.
  epoch bigint not null,
  recorded_at timestamptz not null default now(),
  primary key (group_id, topic, partition)
);

create sequence consumer_epochs;

-- Sums of the decisions that are stored, kept in the transaction that stores or erases them.
create table decision_hours (
  organization_id uuid not null,
  -- The hour of received_at, UTC.
  hour timestamptz not null,
  -- Empty where the decision has none; an empty id is not one.
  agent_id text not null,
  domain text not null,
  decisions bigint not null,
  -- A sum of many counts of up to 2^53 does not fit a bigint.
  input_tokens numeric not null,
  output_tokens numeric not null,
  -- How many of the decisions say how many tokens they took.
  input_tokens_known bigint not null,
  output_tokens_known bigint not null,
  primary key (organization_id, hour, agent_id, domain)
);

insert into decision_hours
select organization_id, date_trunc('hour', received_at, 'UTC'), coalesce(agent_id, ''),
       coalesce(domain, ''), count(*), coalesce(sum(input_tokens), 0),
       coalesce(sum(output_tokens), 0), count(input_tokens), count(output_tokens)
  from decisions
 group by 1, 2, 3, 4;

-- A tombstone: the decision was erased, and a replay must not bring it back. Its fingerprint is
-- empty then.
alter table decision_ids add column erased_at timestamptz;

-- Retention looks for old identities; they are appended in the order of time.
create index decision_ids_by_time on decision_ids
  using brin (received_at) with (autosummarize = on);

-- What was asked to be erased, by whom, and what became of it: the job and its record in one.
create table erasures (
  erasure_id uuid primary key,
  organization_id uuid not null,
  scope text not null check (scope in ('decision', 'session', 'agent', 'organization')),
  -- The id of the decision, session or agent; null for the whole organization.
  subject text check ((subject is null) = (scope = 'organization')),
  -- What was received up to this moment is erased, stored or not yet stored.
  received_until timestamptz not null,
  requested_at timestamptz not null default now(),
  requested_by text not null,
  reason text,
  -- Null while there is more to erase.
  finished_at timestamptz,
  decisions bigint not null default 0,
  evaluation_runs bigint not null default 0,
  scores bigint not null default 0
);

-- Whoever stores asks for the rules that may still cover what it has: those of late.
create index erasures_by_organization on erasures (organization_id, received_until);
