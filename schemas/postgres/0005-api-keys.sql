-- API keys: a limit of their own, which key took their place, and when they were last used.

alter table api_keys
  -- The <env> of slk_<env>_…, so that a key's successor is named alike; null for older keys.
  add column environment text,
  -- Decisions per window for this key alone, beside the organization's limit; null is no limit.
  add column rate_limit_points integer check (rate_limit_points > 0),
  -- The key that took its place when it was rotated.
  add column replaced_by text references api_keys (key_id),
  -- To the minute; written by gateways now and then, never by a request.
  add column last_used_at timestamptz;
