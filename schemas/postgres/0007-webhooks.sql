-- Creates tables for webhooks and their deliveries.

create table webhooks (
  organization_id uuid not null,
  webhook_id text not null,
  name text not null,
  url text not null,
  secret_sealed bytea not null,
  -- Secret from before the last rotation. It also signs deliveries until secret_before_until.
  secret_before_sealed bytea,
  secret_before_until timestamptz,
  events text[] not null,
  -- JSON text of the score threshold; null if the webhook has none.
  threshold text,
  enabled boolean not null default true,
  disabled_reason text,
  -- Number of deliveries that have failed since the last success, or since a user enabled the
  -- webhook again.
  failures_in_row integer not null default 0,
  -- Number of attempts that have failed since the last success, up to a maximum. At the maximum,
  -- only one delivery is in flight at a time.
  failed_attempts integer not null default 0,
  -- State of the threshold.
  state text not null default 'ok' check (state in ('ok', 'firing')),
  state_since timestamptz not null default now(),
  -- When the last measurement of the threshold began; -infinity if a measurement is due at once.
  threshold_checked_at timestamptz not null default '-infinity',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, webhook_id)
);
create index webhooks_measured on webhooks (threshold_checked_at)
  where threshold is not null and enabled and deleted_at is null;
comment on table webhooks is
  'Webhooks: URL, sealed secret, events and score threshold.';
call edit_by_organization('webhooks', 'insert', 'update');

create table webhook_deliveries (
  organization_id uuid not null,
  delivery_id uuid not null,
  webhook_id text not null,
  event text not null,
  -- Null for threshold events.
  decision_id uuid,
  -- JSON text, exactly as signed and sent.
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  -- Time after which the delivery is not retried.
  expires_at timestamptz not null default now() + interval '24 hours',
  -- When a process took the delivery to send it; null while the delivery waits.
  taken_at timestamptz,
  finished_at timestamptz,
  http_status integer,
  error text,
  primary key (organization_id, delivery_id)
);
create index webhook_deliveries_due on webhook_deliveries
  (organization_id, webhook_id, next_attempt_at) where status = 'pending' and taken_at is null;
create index webhook_deliveries_taken on webhook_deliveries (taken_at)
  where status = 'pending' and taken_at is not null;
-- The second condition restricts this index to statements that name expires_at. Without it, the
-- planner also used the index for other statements if few deliveries were pending at the last
-- analyze. Each of these statements then read all pending deliveries.
create index webhook_deliveries_expiring on webhook_deliveries (expires_at)
  where status = 'pending' and expires_at > '-infinity';
create index webhook_deliveries_by_time on webhook_deliveries
  (organization_id, webhook_id, created_at desc, delivery_id desc);
create index webhook_deliveries_by_age on webhook_deliveries
  using brin (created_at) with (autosummarize = on);
comment on table webhook_deliveries is
  'Deliveries to webhooks with their payload, attempts and result.';
call edit_by_organization('webhook_deliveries', 'insert', 'update');
