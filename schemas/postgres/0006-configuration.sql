-- Creates tables for the configuration of evaluation: evaluators, rules, connections to model
-- providers, and budgets.

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
comment on table evaluators is
  'Evaluators of each organization, with the number of the latest version.';
call edit_by_organization('evaluators', 'insert', 'update');

create table evaluator_versions (
  organization_id uuid not null,
  evaluator_id text not null,
  version integer not null,
  name text not null,
  kind text not null,
  description text,
  -- JSON text of the settings, which depend on the kind.
  config text not null,
  -- JSON text of the definition of the score that the evaluator produces.
  output text not null,
  timeout_ms integer not null,
  config_hash text not null,
  -- JSON text with the results of the attacks that tested a judge when it was saved; null if the
  -- judge was not tested, and for other kinds.
  self_test text,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (organization_id, evaluator_id, version)
);
comment on table evaluator_versions is
  'All versions of evaluators. A version never changes.';
call edit_by_organization('evaluator_versions', 'insert');

create table evaluation_rules (
  organization_id uuid not null,
  -- The rule `default` has no row until it is changed.
  rule_id text not null,
  name text not null,
  -- JSON text of the rule, with the ids of its evaluators.
  definition text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, rule_id)
);
create unique index evaluation_rules_by_name on evaluation_rules (organization_id, name)
  where deleted_at is null;
comment on table evaluation_rules is
  'Rules: which decisions are evaluated, by which evaluators, with what sampling and budget.';
call edit_by_organization('evaluation_rules', 'insert', 'update');

create table rule_sets (
  organization_id uuid not null,
  -- Starts at 1. Version 0, the initial rule set of every organization, has no row.
  version integer not null,
  -- JSON text of the rules.
  content text not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (organization_id, version)
);
comment on table rule_sets is
  'Snapshots of all rules and evaluator versions, one per change. Each plan refers to one.';
call edit_by_organization('rule_sets', 'insert');

create table evaluation_connections (
  organization_id uuid not null,
  connection_id text not null,
  name text not null,
  kind text not null check (kind in ('openai_compatible')),
  base_url text not null,
  -- Null if the provider needs no API key.
  api_key_sealed bytea,
  -- The last characters of the API key, so that users can distinguish keys.
  api_key_hint text,
  -- JSON text of a list of {model, usd_per_million_input, usd_per_million_output}.
  models text not null default '[]',
  concurrency_max integer not null default 8 check (concurrency_max between 1 and 1000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, connection_id)
);
create unique index evaluation_connections_by_name on evaluation_connections (organization_id, name)
  where deleted_at is null;
comment on table evaluation_connections is
  'Connections to model providers. API keys are sealed with SECRETS_KEY.';
call edit_by_organization('evaluation_connections', 'insert', 'update');

-- While a circuit is open, runs of its connection wait without using up attempts.
create table connection_circuits (
  organization_id uuid not null,
  connection_id text not null,
  state text not null default 'closed' check (state in ('closed', 'open', 'half_open')),
  reason text,
  since timestamptz not null default now(),
  -- When one run may probe the connection. Each failed probe doubles the delay, up to 5 minutes.
  probe_at timestamptz,
  probes integer not null default 0,
  failures_in_row integer not null default 0,
  -- End of the pause after a rate-limit response.
  paused_until timestamptz,
  primary key (organization_id, connection_id)
);
comment on table connection_circuits is
  'Circuit breaker state of each connection.';
call edit_by_organization('connection_circuits', 'insert', 'update');

create table evaluation_budgets (
  organization_id uuid primary key,
  nano_usd_per_day bigint check (nano_usd_per_day >= 0),
  nano_usd_per_month bigint check (nano_usd_per_month >= 0),
  -- Fraction of a limit, from 0 to 1, at which an alert is sent.
  alert_at double precision check (alert_at between 0 and 1),
  updated_at timestamptz not null default now()
);
comment on table evaluation_budgets is
  'Daily and monthly cost limits of each organization for judge calls.';
call edit_by_organization('evaluation_budgets', 'insert', 'update');

create table evaluation_spend (
  organization_id uuid not null,
  rule_id text not null,
  evaluator_id text not null,
  day date not null,
  calls bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  nano_usd bigint not null default 0,
  -- Number of calls whose price is unknown. nano_usd does not include their cost.
  unpriced_calls bigint not null default 0,
  primary key (organization_id, day, rule_id, evaluator_id)
);
comment on table evaluation_spend is
  'Cost of judge calls by rule, evaluator and UTC day.';
call show_by_organization('evaluation_spend');
