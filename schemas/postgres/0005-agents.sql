-- Creates tables for agents, their profiles, and hourly sums for lists, statistics and profiles.

create table agents (
  organization_id uuid not null,
  -- Empty for decisions without an agent.
  agent_id text not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  primary key (organization_id, agent_id)
);
comment on table agents is
  'Agents with the time of their first and last decision.';
call show_to_editors('agents');

create table agent_profiles (
  organization_id uuid not null,
  agent_id text not null,
  name text,
  description text,
  owner text,
  tags text[] not null default '{}',
  -- JSON text with the price per million tokens of each model.
  prices text,
  archived_at timestamptz,
  updated_at timestamptz not null default now(),
  updated_by text not null,
  primary key (organization_id, agent_id)
);
comment on table agent_profiles is
  'Descriptions, owners, tags and model prices that users entered for agents.';
call edit_by_organization('agent_profiles', 'insert', 'update');

-- The transaction that stores or erases decisions or runs also updates the sums below. The hour is
-- the UTC hour of received_at. agent_id and domain are empty if the decision has none.

create table decision_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  agent_id text not null,
  domain text not null,
  decisions bigint not null,
  -- Numeric, because the sum of many counts of up to 2^53 can exceed a bigint.
  input_tokens numeric not null,
  output_tokens numeric not null,
  -- Number of decisions with a token count.
  input_tokens_known bigint not null,
  output_tokens_known bigint not null,
  errors bigint not null,
  -- Number of decisions that report whether there was an error.
  errors_known bigint not null,
  -- Numeric, because the sum must stay exact when erased decisions are subtracted.
  latency_ms numeric not null,
  latency_known bigint not null,
  primary key (organization_id, hour, agent_id, domain)
);
create index decision_hours_by_time on decision_hours using brin (hour) with (autosummarize = on);
create index decision_hours_by_agent on decision_hours (organization_id, agent_id, hour);
comment on table decision_hours is
  'Sums of stored decisions by organization, hour, agent and domain.';
call show_to_editors('decision_hours');

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
comment on table decision_facet_hours is
  'Same sums as decision_hours, by model, agent version and SDK version.';
call show_by_organization('decision_facet_hours');

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
comment on table outcome_hours is
  'Counts of decisions by hour, agent, domain, status and verdict.';
call show_by_organization('outcome_hours');

-- Counts only the newest score of each decision, name and source.
create table score_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  agent_id text not null,
  domain text not null,
  name text not null,
  source_kind text not null,
  -- Empty, with version 0, for scores that are not from an evaluator.
  evaluator_id text not null,
  evaluator_version integer not null,
  scores bigint not null,
  -- Number of scores with a value, the sum of these values, and the sum of their squares.
  valued bigint not null,
  value_sum numeric not null,
  value_squares numeric not null,
  -- Number of scores that passed or failed, and number of scores that passed.
  judged bigint not null,
  passed bigint not null,
  primary key (organization_id, hour, agent_id, domain, name, source_kind, evaluator_id,
               evaluator_version)
);
create index score_hours_by_agent on score_hours (organization_id, agent_id, hour);
create index score_hours_by_age on score_hours using brin (hour) with (autosummarize = on);
comment on table score_hours is
  'Sums of scores by hour, agent, domain, name, source and evaluator version.';
call show_by_organization('score_hours');
