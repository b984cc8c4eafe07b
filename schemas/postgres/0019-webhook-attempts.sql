-- A webhook whose last attempts failed has fewer deliveries out at a time.

-- Attempts that failed since one succeeded, counted up to where it makes a difference.
alter table webhooks add column failed_attempts integer not null default 0;

-- Only for statements that name expires_at. Where few deliveries were pending when the table was
-- analyzed, the planner took it for others too, and each of them read all that is pending.
drop index webhook_deliveries_expiring;
create index webhook_deliveries_expiring on webhook_deliveries (expires_at)
  where status = 'pending' and expires_at > '-infinity';
