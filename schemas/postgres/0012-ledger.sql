-- Creates tables for the last audit that storage ran: its window, and its counts per organization.

create table ledger_audits (
  topic text primary key,
  -- When the next audit may start. The process that set this time has until then to run its audit.
  next_at timestamptz not null,
  -- When the last complete audit ended. This column and those below are null if there was none.
  audited_at timestamptz,
  window_from timestamptz,
  window_to timestamptz,
  -- Whole hours within the window, for which the counts of gateways can be compared.
  hours_from timestamptz,
  hours_to timestamptz,
  -- False if messages of the window could not be read, or if some duplicates may count as stored.
  exact boolean,
  -- False if there were too many organizations to count each of them.
  every_organization boolean,
  -- Counts of all organizations, and of messages that cannot be decoded.
  stored bigint,
  duplicate bigint,
  conflict bigint,
  dead_lettered bigint,
  erased bigint,
  in_flight bigint,
  missing bigint,
  -- Messages in the whole hours.
  messages_in_hours bigint,
  -- The same counts per partition, and the missing messages that were found first.
  partitions jsonb,
  missing_records jsonb
);
comment on table ledger_audits is
  'The last audit of the decisions topic by storage, over all organizations, and the next one.';
-- No organization may read the total counts of all organizations.
grant select (topic, audited_at, window_from, window_to, hours_from, hours_to, exact,
              every_organization) on ledger_audits to sluice_reader;

create table ledger_organizations (
  organization_id uuid not null,
  topic text not null,
  audited_at timestamptz not null default now(),
  stored bigint not null,
  duplicate bigint not null,
  conflict bigint not null,
  dead_lettered bigint not null,
  erased bigint not null,
  in_flight bigint not null,
  missing bigint not null,
  messages_in_hours bigint not null,
  partitions jsonb not null,
  missing_records jsonb not null,
  primary key (organization_id, topic)
);
comment on table ledger_organizations is
  'Counts of the last audit for each organization with messages in its window.';
call show_by_organization('ledger_organizations');
