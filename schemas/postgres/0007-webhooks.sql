-- Webhooks and their deliveries.

create table webhooks (
  organization_id uuid not null,
  webhook_id text not null,
  name text not null,
  url text not null,
  secret_sealed bytea not null,
  -- The secret before a rotation also signs until then.
  secret_before_sealed bytea,
  secret_before_until timestamptz,
  events text[] not null,
  -- JSON text; null without a score threshold.
  threshold text,
  enabled boolean not null default true,
  disabled_reason text,
  -- Deliveries that failed since one succeeded.
  failures_in_row integer not null default 0,
  -- Attempts that failed since one succeeded, up to the number at which the webhook has the fewest
  -- deliveries in flight.
  failed_attempts integer not null default 0,
  -- Of the threshold.
  state text not null default 'ok' check (state in ('ok', 'firing')),
  state_since timestamptz not null default now(),
  -- When it was last measured, or the measurement began.
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
  -- Null for an event of a threshold.
  decision_id uuid,
  -- JSON text, as it is signed and sent.
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  -- The end of retries.
  expires_at timestamptz not null default now() + interval '24 hours',
  -- When its job was queued or began; null while the delivery waits.
  queued_at timestamptz,
  finished_at timestamptz,
  http_status integer,
  error text,
  primary key (organization_id, delivery_id)
);
create index webhook_deliveries_due on webhook_deliveries
  (organization_id, webhook_id, next_attempt_at) where status = 'pending' and queued_at is null;
create index webhook_deliveries_queued on webhook_deliveries (queued_at)
  where status = 'pending' and queued_at is not null;
-- Only for statements that name expires_at. Without the second condition the planner also took the
-- index for others when few deliveries were pending at the last analyze, and each of them then read
-- all pending deliveries.
create index webhook_deliveries_expiring on webhook_deliveries (expires_at)
  where status = 'pending' and expires_at > '-infinity';
create index webhook_deliveries_by_time on webhook_deliveries
  (organization_id, webhook_id, created_at desc, delivery_id desc);
create index webhook_deliveries_by_age on webhook_deliveries
  using brin (created_at) with (autosummarize = on);
comment on table webhook_deliveries is
  'Deliveries to webhooks with payload, attempts and result.';
call edit_by_organization('webhook_deliveries', 'insert', 'update');
