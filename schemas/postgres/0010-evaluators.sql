-- Evaluators, rules, connections, budgets: what is evaluated, how, and at what expense.

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

call edit_by_organization('evaluators', 'insert', 'update');
call edit_by_organization('evaluator_versions', 'insert');
call edit_by_organization('evaluation_rules', 'insert', 'update');
call edit_by_organization('rule_sets', 'insert');
call edit_by_organization('evaluation_connections', 'insert', 'update');
call edit_by_organization('connection_circuits', 'insert', 'update');
call edit_by_organization('evaluation_budgets', 'insert', 'update');
call show_by_organization('evaluation_spend');
