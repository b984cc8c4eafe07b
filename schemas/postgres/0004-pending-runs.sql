-- Creates tables for runs of evaluators: plans, pending runs, and ended runs that are not packed.

create table evaluation_plans (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Receipt time of the copy for which runs were planned. A retry of the decision has a different
  -- receipt time.
  received_at timestamptz not null,
  rule_set_version integer not null,
  -- One entry per rule, in the order of the rule set: planned, or the reason why nothing was
  -- planned: disabled, domain, agent_id, session_id, metadata, sampled_out, budget_exhausted or
  -- loop_guard.
  outcomes text[] not null,
  -- Number of planned runs.
  runs integer not null,
  planned_at timestamptz not null default now(),
  primary key (organization_id, decision_id)
);
create index evaluation_plans_by_time on evaluation_plans (organization_id, planned_at);
create index evaluation_plans_by_age on evaluation_plans
  using brin (received_at) with (autosummarize = on);
comment on table evaluation_plans is
  'Plans with runs that end later, or without runs. Other plans are in rows of evaluations.';
call show_by_organization('evaluation_plans');

create table pending_runs (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  rule_id text not null,
  rule text not null,
  evaluator_id text not null,
  evaluator text not null,
  evaluator_kind text not null,
  evaluator_version integer not null,
  generation integer not null default 0,
  replay_of uuid,
  -- Null for runs that need no connection.
  connection_id text,
  -- Fields of the decision.
  received_at timestamptz not null,
  agent_id text,
  session_id text,
  domain text,
  status text not null
    check (status in ('scheduled', 'running', 'retrying', 'blocked', 'finished')),
  status_reason text,
  attempts integer not null default 0,
  max_attempts integer not null default 8,
  scheduled_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  expires_at timestamptz not null,
  started_at timestamptz,
  -- Lease of the worker that claims, executes or publishes the run. Until the lease expires, no
  -- other worker takes the run, and none ends it while its call is in progress.
  lease_token uuid,
  lease_expires_at timestamptz,
  -- When cancellation was requested. A worker then ends the run, but not while its call is in
  -- progress.
  cancel_requested_at timestamptz,
  -- user, disabled or deleted.
  cancel_reason text,
  -- JSON text of the ended run, if it is finished but not stored yet.
  result text,
  finished_at timestamptz,
  -- When Kafka acknowledged the result.
  published_at timestamptz,
  -- JSON text of the rule's budget at the time of planning; null for a run without a known rule.
  budget text,
  primary key (organization_id, decision_id, run_id)
);
-- Workers skip through this index from one connection to the next. Runs that need no connection are
-- under ''.
create index pending_runs_due on pending_runs
  (organization_id, coalesce(connection_id, ''), next_attempt_at)
  where status in ('scheduled', 'retrying', 'running') and evaluator_kind <> 'external';
-- Workers query each of the next four indexes once a second or more often. Each index has a
-- condition that keeps it small.
create index pending_runs_leased on pending_runs (lease_expires_at)
  where status <> 'finished' and lease_expires_at is not null;
create index pending_runs_unpublished on pending_runs (finished_at)
  where status = 'finished' and published_at is null;
create index pending_runs_expiring on pending_runs (expires_at) where status <> 'finished';
create index pending_runs_to_cancel on pending_runs (cancel_requested_at)
  where status <> 'finished' and cancel_requested_at is not null;
create index pending_runs_by_connection on pending_runs (organization_id, connection_id, status);
create index pending_runs_by_time on pending_runs
  (organization_id, scheduled_at desc, decision_id desc, run_id desc);
create index pending_runs_by_id on pending_runs (organization_id, run_id);
comment on table pending_runs is
  'Runs without a stored result: scheduled, running, retrying, blocked or finished.';
call edit_by_organization('pending_runs', 'insert', 'update');

create table run_attempts (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  -- Starts at 1.
  attempt integer not null,
  -- False for an attempt that does not count towards max_attempts, for example because the provider
  -- limited the rate.
  counted boolean not null default true,
  started_at timestamptz not null default now(),
  -- Null until the attempt ends. Stays null if the process was killed during the attempt.
  finished_at timestamptz,
  outcome text,
  status_reason text,
  http_status integer,
  error text,
  model text,
  model_reported text,
  input_tokens bigint,
  output_tokens bigint,
  nano_usd bigint,
  latency_ms integer,
  -- Shortened reply of the judge.
  reply text,
  primary key (organization_id, decision_id, run_id, attempt)
);
create index run_attempts_by_age on run_attempts
  using brin (started_at) with (autosummarize = on);
comment on table run_attempts is
  'Attempts of runs. Each is recorded before its call begins.';
call show_by_organization('run_attempts');

-- Contains runs of judges, replays and pushed scores. Other runs are packed into rows of
-- evaluations. There is no foreign key to decisions, because either topic may be stored first.
create table later_runs (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  rule_id text,
  rule text not null,
  evaluator_id text,
  evaluator text not null,
  evaluator_kind text not null,
  evaluator_version integer not null,
  config_hash text,
  generation integer not null,
  replay_of uuid,
  -- The run that repeats this one.
  superseded_by uuid,
  status text not null,
  status_reason text,
  error text,
  http_status integer,
  attempts integer not null,
  duration_us bigint,
  scheduled_at timestamptz,
  started_at timestamptz,
  evaluated_at timestamptz not null,
  stored_at timestamptz not null default now(),
  provider text,
  model text,
  model_reported text,
  input_tokens bigint,
  output_tokens bigint,
  nano_usd bigint,
  latency_ms bigint,
  -- Fields of the decision.
  received_at timestamptz not null,
  agent_id text,
  session_id text,
  domain text,
  primary key (organization_id, decision_id, run_id)
);
create index later_runs_by_age on later_runs
  using brin (evaluated_at) with (autosummarize = on);
create index later_runs_by_time on later_runs
  (organization_id, evaluated_at desc, decision_id desc, run_id desc);
create index later_runs_by_id on later_runs (organization_id, run_id);
-- Users search for the few unsuccessful runs to find the reason or to replay them.
create index later_runs_unsuccessful on later_runs
  (organization_id, evaluated_at desc, decision_id desc, run_id desc)
  where status <> 'succeeded' and status_reason is distinct from 'not_applicable';
comment on table later_runs is
  'One row per run that ended separately: runs of judges, replays and pushed scores.';
-- A replay marks the run that it repeats.
call edit_by_organization('later_runs', 'update (superseded_by)');

create table later_scores (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  score_id uuid not null,
  name text not null,
  data_type text not null,
  value double precision,
  label text,
  passed boolean,
  reason text,
  normalized double precision,
  threshold double precision,
  range_min double precision,
  range_max double precision,
  direction text,
  confidence double precision,
  evidence text,
  source_kind text not null,
  source_id text,
  evaluated_at timestamptz not null,
  -- Fields of the run.
  rule_id text,
  evaluator_id text,
  evaluator text not null,
  evaluator_kind text not null,
  evaluator_version integer not null,
  -- Fields of the decision.
  received_at timestamptz not null,
  agent_id text,
  session_id text,
  domain text,
  primary key (organization_id, decision_id, score_id)
);
create index later_scores_by_age on later_scores
  using brin (evaluated_at) with (autosummarize = on);
create index later_scores_by_time on later_scores
  (organization_id, evaluated_at desc, decision_id desc, score_id desc);
create index later_scores_by_name on later_scores
  (organization_id, name collate "C", evaluated_at desc, decision_id desc, score_id desc)
  where octet_length(name) <= 1024;
comment on table later_scores is
  'One row per score of a later run.';
call show_to_editors('later_scores');
