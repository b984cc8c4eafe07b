-- What lists, sums and profiles are read from: kept in the transactions that store or erase.

-- Taken from metadata, as far as it fits; null in older rows, and where it is not there.
alter table decisions
  -- `name=text` of the top-level texts, numbers and booleans of metadata: so many, so long.
  add column labels text[],
  add column model text,
  add column agent_version text,
  add column latency_ms double precision,
  -- What `error` says: true for a text that is not empty.
  add column is_error boolean;

create index decisions_by_domain on decisions
  (organization_id, domain collate "C", received_at desc, decision_id desc)
  where octet_length(domain) <= 1024;

alter table decision_hours
  add column errors bigint not null default 0,
  -- How many of the decisions say whether there was an error, and how long it took.
  add column errors_known bigint not null default 0,
  -- Exact, as all sums here are: what is erased is taken off again, to the last digit.
  add column latency_ms numeric not null default 0,
  add column latency_known bigint not null default 0;
create index decision_hours_by_agent on decision_hours (organization_id, agent_id, hour);

-- The same sums by what else an agent says of itself.
create table decision_facet_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  agent_id text not null,
  facet text not null check (facet in ('model', 'agent_version', 'sdk_version')),
  value text not null,
  decisions bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  input_tokens_known bigint not null,
  output_tokens_known bigint not null,
  errors bigint not null,
  errors_known bigint not null,
  latency_ms numeric not null,
  latency_known bigint not null,
  primary key (organization_id, hour, agent_id, facet, value)
);
create index decision_facet_hours_by_agent on decision_facet_hours
  (organization_id, agent_id, hour);
create index decision_facet_hours_by_age on decision_facet_hours
  using brin (hour) with (autosummarize = on);

-- Every agent there is; the one without a name are the decisions that name none.
create table agents (
  organization_id uuid not null,
  agent_id text not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  primary key (organization_id, agent_id)
);
insert into agents
select organization_id, coalesce(agent_id, ''), min(received_at), max(received_at)
  from decisions group by 1, 2;

-- What people say of an agent.
create table agent_profiles (
  organization_id uuid not null,
  agent_id text not null,
  name text,
  description text,
  owner text,
  tags text[] not null default '{}',
  -- JSON text: what a million tokens of a model cost.
  prices text,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  primary key (organization_id, agent_id)
);

-- What the stored runs of a decision come to; no row before the first of them is stored.
create table decision_outcomes (
  organization_id uuid not null,
  decision_id uuid not null,
  received_at timestamptz not null,
  agent_id text,
  session_id text,
  domain text,
  -- As core/evaluation/evaluation-status.ts derives them.
  status text not null,
  reason text,
  verdict text not null,
  -- What counts of each score: {name: {value, label, passed}}.
  scores jsonb not null,
  -- What of it is in score_hours, so that it can be taken off again.
  counted jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (organization_id, decision_id)
);
create index decision_outcomes_unpassed on decision_outcomes
  (organization_id, received_at desc, decision_id desc) where verdict <> 'pass';
create index decision_outcomes_unevaluated on decision_outcomes
  (organization_id, received_at desc, decision_id desc) where status <> 'evaluated';
-- Scores that somebody pushed before the plan was stored: what was planned is looked up later.
create index decision_outcomes_unplanned on decision_outcomes (updated_at)
  where reason = 'not_planned_yet';
create index decision_outcomes_by_age on decision_outcomes
  using brin (received_at) with (autosummarize = on);

-- Sums of decision_outcomes by the hour of received_at.
create table outcome_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  agent_id text not null,
  domain text not null,
  status text not null,
  verdict text not null,
  decisions bigint not null,
  primary key (organization_id, hour, agent_id, domain, status, verdict)
);
create index outcome_hours_by_agent on outcome_hours (organization_id, agent_id, hour);
create index outcome_hours_by_age on outcome_hours using brin (hour) with (autosummarize = on);

-- Sums of the newest score of each decision, name and source, by the evaluator's version.
create table score_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  agent_id text not null,
  domain text not null,
  name text not null,
  source_kind text not null,
  -- Empty and 0 where no evaluator gave it.
  evaluator_id text not null,
  evaluator_version integer not null,
  scores bigint not null,
  -- How many have a value, their sum, and the sum of their squares.
  valued bigint not null,
  value_sum numeric not null,
  value_squares numeric not null,
  -- How many say whether they passed, and did.
  judged bigint not null,
  passed bigint not null,
  primary key (organization_id, hour, agent_id, domain, name, source_kind, evaluator_id,
               evaluator_version)
);
create index score_hours_by_agent on score_hours (organization_id, agent_id, hour);
create index score_hours_by_age on score_hours using brin (hour) with (autosummarize = on);

call show_by_organization('decision_facet_hours');
call show_by_organization('agents');
call show_by_organization('decision_outcomes');
call show_by_organization('outcome_hours');
call show_by_organization('score_hours');
call edit_by_organization('agent_profiles', 'insert', 'update');

-- Who may ask for a deletion writes the rule; storage carries it out.
drop policy editor on erasures;
create policy editor on erasures to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid))
  with check (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
grant insert, update (received_until) on erasures to sluice_editor;
grant select on agents to sluice_editor;
create policy editor on agents for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
