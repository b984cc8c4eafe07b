-- Evaluators, rules, plans and open runs: what is evaluated, how, and what became of it.

-- Like sluice_reader, and may change what an organization says of its evaluation.
do $$
begin
  begin
    if to_regrole('sluice_editor') is null then
      create role sluice_editor nologin;
    end if;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  begin
    if to_regrole('sluice_editor') is not null and not pg_has_role('sluice_editor', 'usage') then
      execute format('grant %I to current_user', 'sluice_editor');
    end if;
  exception when unique_violation or insufficient_privilege then null;
  end;
  if to_regrole('sluice_editor') is null or not pg_has_role('sluice_editor', 'member') then
    raise insufficient_privilege using message = format(
      '%1$I can neither make nor join the role sluice_editor; as an administrator run: '
      'create role sluice_editor nologin; grant sluice_editor to %1$I', current_user);
  end if;
  begin
    if not has_schema_privilege('sluice_editor', current_schema(), 'usage') then
      execute format('grant usage on schema %I to sluice_editor', current_schema());
    end if;
  exception when unique_violation then null;
  end;
end
$$;

-- Readers see the rows of their organization, editors change them as well.
create procedure edit_by_organization(shown regclass, variadic rights text[])
language plpgsql as $$
begin
  call show_by_organization(shown);
  execute format(
    'create policy editor on %s to sluice_editor
       using (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))
       with check (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shown);
  execute format('grant select, %s on %s to sluice_editor', array_to_string(rights, ', '), shown);
end
$$;

-- How decisions are scored. A version never changes; a change makes the next one.
create table evaluators (
  organization_id uuid not null,
  evaluator_id text not null,
  name text not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, evaluator_id)
);
create unique index evaluators_by_name on evaluators (organization_id, name)
  where deleted_at is null;

create table evaluator_versions (
  organization_id uuid not null,
  evaluator_id text not null,
  version integer not null,
  name text not null,
  kind text not null,
  description text,
  -- JSON text of what the kind needs.
  config text not null,
  -- JSON text of the score that it gives.
  output text not null,
  timeout_ms integer not null,
  config_hash text not null,
  -- JSON text of what the attacks on a judge came to when it was saved; null for other kinds.
  self_test text,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (organization_id, evaluator_id, version)
);

-- What is evaluated. The one with the id `default` exists without a row, and has one once changed.
create table evaluation_rules (
  organization_id uuid not null,
  rule_id text not null,
  name text not null,
  -- JSON text of the rule, its evaluators as ids.
  definition text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, rule_id)
);
create unique index evaluation_rules_by_name on evaluation_rules (organization_id, name)
  where deleted_at is null;

-- All rules with the versions of their evaluators, from one change to the next: what a plan names.
create table rule_sets (
  organization_id uuid not null,
  -- From 1; 0 is what every organization begins with, and has no row.
  version integer not null,
  -- JSON text.
  content text not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (organization_id, version)
);

-- Where judges are reached.
create table evaluation_connections (
  organization_id uuid not null,
  connection_id text not null,
  name text not null,
  kind text not null check (kind in ('openai_compatible')),
  base_url text not null,
  -- Sealed under SECRETS_KEY; null where the provider asks for none.
  api_key_sealed bytea,
  -- The last characters, to tell keys apart.
  api_key_hint text,
  -- JSON text: a list of {model, usd_per_million_input, usd_per_million_output}.
  models text not null default '[]',
  concurrency_max integer not null default 8 check (concurrency_max between 1 and 1000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, connection_id)
);
create unique index evaluation_connections_by_name on evaluation_connections (organization_id, name)
  where deleted_at is null;

-- Whether a connection works: open means that its runs wait, and burn no attempt.
create table connection_circuits (
  organization_id uuid not null,
  connection_id text not null,
  state text not null default 'closed' check (state in ('closed', 'open', 'half_open')),
  reason text,
  since timestamptz not null default now(),
  -- When one run may try whether it works again; each failure doubles the wait.
  probe_at timestamptz,
  probes integer not null default 0,
  failures_in_row integer not null default 0,
  -- The provider asked for patience until then.
  paused_until timestamptz,
  primary key (organization_id, connection_id)
);

create table evaluation_budgets (
  organization_id uuid primary key,
  nano_usd_per_day bigint check (nano_usd_per_day >= 0),
  nano_usd_per_month bigint check (nano_usd_per_month >= 0),
  -- Share of it from which on it is told, from 0 to 1.
  alert_at double precision check (alert_at between 0 and 1),
  updated_at timestamptz not null default now()
);

-- What judges cost, by rule and UTC day.
create table evaluation_spend (
  organization_id uuid not null,
  rule_id text not null,
  evaluator_id text not null,
  day date not null,
  calls bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  nano_usd bigint not null default 0,
  -- Calls whose price is not known: they are not free.
  unpriced_calls bigint not null default 0,
  primary key (organization_id, day, rule_id, evaluator_id)
);

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
create index open_runs_by_connection on open_runs (organization_id, connection_id, status);
create index open_runs_by_time on open_runs (organization_id, scheduled_at desc, run_id desc);

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

-- Who is told what: evaluation.completed, or that a score crossed a threshold.
create table webhooks (
  organization_id uuid not null,
  webhook_id text not null,
  name text not null,
  url text not null,
  secret_sealed bytea not null,
  events text[] not null,
  -- JSON text of the threshold; null where it is about none.
  threshold text,
  enabled boolean not null default true,
  disabled_reason text,
  -- ok or firing, for a threshold.
  state text not null default 'ok' check (state in ('ok', 'firing')),
  state_since timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, webhook_id)
);

create table webhook_deliveries (
  organization_id uuid not null,
  delivery_id uuid not null,
  webhook_id text not null,
  event text not null,
  -- The decision it is about; null for a threshold.
  decision_id uuid,
  -- JSON text, as it is signed and sent.
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  queued_at timestamptz,
  finished_at timestamptz,
  http_status integer,
  error text,
  primary key (organization_id, delivery_id)
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries
  (organization_id, webhook_id, created_at desc);
create index webhook_deliveries_by_age on webhook_deliveries
  using brin (created_at) with (autosummarize = on);

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

call edit_by_organization('evaluators', 'insert', 'update');
call edit_by_organization('evaluator_versions', 'insert');
call edit_by_organization('evaluation_rules', 'insert', 'update');
call edit_by_organization('rule_sets', 'insert');
call edit_by_organization('evaluation_connections', 'insert', 'update');
call edit_by_organization('connection_circuits', 'insert', 'update');
call edit_by_organization('evaluation_budgets', 'insert', 'update');
call show_by_organization('evaluation_spend');
call show_by_organization('evaluation_plans');
call edit_by_organization('open_runs', 'insert', 'update');
call show_by_organization('run_attempts');
call edit_by_organization('webhooks', 'insert', 'update');
call edit_by_organization('webhook_deliveries', 'insert', 'update');
-- A replay marks the run that it repeats.
create policy editor on evaluation_runs to sluice_editor
  using (organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid));
grant select on evaluation_runs, scores, decisions, decision_ids, decision_hours, storage_progress
  to sluice_editor;
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
