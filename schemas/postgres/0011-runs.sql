-- Plans and open runs: what is to become of a decision, and what ended runs say of themselves.

-- What was planned for a decision, for each rule of the rule set in its order.
create table evaluation_plans (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Of the decision, and of its copy that was planned: a retry has another.
  received_at timestamptz not null,
  rule_set_version integer not null,
  -- planned, or why not: disabled, domain, agent_id, session_id, metadata, sampled_out,
  -- budget_exhausted, loop_guard.
  outcomes text[] not null,
  -- How many runs that makes.
  runs integer not null,
  planned_at timestamptz not null default now(),
  primary key (organization_id, decision_id)
);
create index evaluation_plans_by_time on evaluation_plans (organization_id, planned_at);
create index evaluation_plans_by_age on evaluation_plans
  using brin (received_at) with (autosummarize = on);

-- Runs that are not stored as ended: they wait, run, or are on their way through the topic.
create table open_runs (
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
  -- Null for runs that need none.
  connection_id text,
  -- Of the decision.
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
  -- When it may be tried (next).
  next_attempt_at timestamptz not null default now(),
  expires_at timestamptz not null,
  started_at timestamptz,
  -- Whoever runs it; nobody else may end it until the lease is over.
  lease_token uuid,
  lease_expires_at timestamptz,
  -- Somebody wants it canceled while it runs.
  cancel_requested_at timestamptz,
  -- user, disabled or deleted.
  cancel_reason text,
  -- When its job was put into the queue; null when nobody has.
  queued_at timestamptz,
  -- JSON text of the run as it ended, when it is finished and not yet stored.
  result text,
  finished_at timestamptz,
  -- When the topic acknowledged it.
  published_at timestamptz,
  -- The budget of its rule, as JSON text, and when it was made part of the plan; null is no budget.
  budget text,
  primary key (organization_id, decision_id, run_id)
);
-- Most of these tables' queries are about few rows of a small table.
create index open_runs_due on open_runs (next_attempt_at) where status <> 'finished';
create index open_runs_unpublished on open_runs (finished_at)
  where status = 'finished' and published_at is null;
-- What the worker looks for every second; each of them is about few rows.
create index open_runs_unqueued on open_runs (next_attempt_at)
  where status in ('scheduled', 'retrying') and queued_at is null
    and evaluator_kind <> 'external';
create index open_runs_leased on open_runs (lease_expires_at) where status = 'running';
create index open_runs_expiring on open_runs (expires_at) where status <> 'finished';
create index open_runs_to_cancel on open_runs (cancel_requested_at)
  where status <> 'finished' and cancel_requested_at is not null;
create index open_runs_by_connection on open_runs (organization_id, connection_id, status);
create index open_runs_by_time on open_runs (organization_id, scheduled_at desc, run_id desc);
create index open_runs_by_id on open_runs (organization_id, run_id);

-- Every call that a run made or began to make.
create table run_attempts (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  -- From 1.
  attempt integer not null,
  -- Whether it counts: waiting for a provider does not.
  counted boolean not null default true,
  started_at timestamptz not null default now(),
  -- Null while it lasts, and for ever when the process was killed meanwhile.
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
  -- What the judge answered, as far as it is kept.
  reply text,
  primary key (organization_id, decision_id, run_id, attempt)
);
create index run_attempts_by_age on run_attempts
  using brin (started_at) with (autosummarize = on);

-- What a run has since there are rules, replays and judges. Null in older rows.
alter table evaluation_runs
  add column rule_id text,
  add column evaluator_id text,
  add column config_hash text,
  add column replay_of uuid,
  -- The run that repeats this one.
  add column superseded_by uuid,
  add column scheduled_at timestamptz,
  add column started_at timestamptz,
  add column error text,
  add column http_status integer,
  add column provider text,
  add column model text,
  add column model_reported text,
  add column input_tokens bigint,
  add column output_tokens bigint,
  add column nano_usd bigint,
  add column latency_ms bigint,
  -- Of the decision.
  add column received_at timestamptz,
  add column agent_id text,
  add column session_id text,
  add column domain text;
create index evaluation_runs_by_organization on evaluation_runs
  (organization_id, evaluated_at desc, run_id desc);
create index evaluation_runs_by_id on evaluation_runs (organization_id, run_id);
-- Few, and what is looked for among many: what went wrong, and what may be replayed.
create index evaluation_runs_unsuccessful on evaluation_runs
  (organization_id, evaluated_at desc, run_id desc)
  where status <> 'succeeded' and status_reason is distinct from 'not_applicable';

alter table scores
  add column normalized double precision,
  add column threshold double precision,
  add column range_min double precision,
  add column range_max double precision,
  add column direction text,
  add column confidence double precision,
  add column evidence text,
  add column source_kind text not null default 'evaluator',
  add column source_id text,
  -- Of the run, so that a score says by itself where it comes from.
  add column rule_id text,
  add column evaluator_id text,
  add column evaluator text,
  add column evaluator_kind text,
  add column evaluator_version integer,
  -- Of the decision.
  add column received_at timestamptz,
  add column agent_id text,
  add column session_id text,
  add column domain text;
create index scores_by_organization on scores
  (organization_id, evaluated_at desc, score_id desc);
create index scores_by_name on scores
  (organization_id, name collate "C", evaluated_at desc, score_id desc)
  where octet_length(name) <= 1024;

call show_by_organization('evaluation_plans');
call edit_by_organization('open_runs', 'insert', 'update');
call show_by_organization('run_attempts');
-- A replay marks the run that it repeats.
create policy editor on evaluation_runs to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
grant select on evaluation_runs, scores, decisions, decision_ids, decision_hours, erasures,
  storage_progress to sluice_editor;
grant update (superseded_by) on evaluation_runs to sluice_editor;
create policy editor on scores for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
create policy editor on decisions for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
create policy editor on decision_ids for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
create policy editor on decision_hours for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
-- Nobody scores what was asked to be erased.
create policy editor on erasures for select to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
