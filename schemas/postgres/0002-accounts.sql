-- Creates tables for organizations, users, API keys, logins, invites and the audit log.

create table organizations (
  organization_id uuid primary key,
  name text not null,
  -- Maximum number of decisions per window; null if RATE_LIMIT_POINTS applies.
  rate_limit_points integer check (rate_limit_points > 0),
  created_at timestamptz not null default now()
);
comment on table organizations is
  'Tenants, each with a custom rate limit or the default.';
call keep_accounts('organizations');
call share_by_organization('organizations');
grant select on organizations to sluice_reader, sluice_editor;
grant update (name) on organizations to sluice_editor;

create table users (
  user_id uuid primary key,
  -- Lower case and trimmed, so that each address has only one row.
  email text not null unique,
  email_verified_at timestamptz,
  password_hash text not null,
  password_changed_at timestamptz not null default now(),
  -- Display name.
  name text,
  -- Organization for a login that does not name one. If null, the user's first organization is
  -- used.
  last_organization_id uuid references organizations,
  created_at timestamptz not null default now()
);
comment on table users is
  'Users who log in; the password is stored as an argon2id hash.';
call keep_accounts('users');

-- A user may belong to several organizations and has a role in each.
create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index memberships_by_user on memberships (user_id);
comment on table memberships is
  'Users of each organization, with their roles.';
call keep_accounts('memberships');
call share_by_organization('memberships');
grant select on memberships to sluice_reader, sluice_editor;
grant insert, update, delete on memberships to sluice_editor;

-- Members of an organization see each other's names and email addresses, but no password hashes.
create policy reader on users for select to sluice_reader, sluice_editor
  using (user_id in (select m.user_id from memberships m where m.organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid)));
grant select (user_id, email, name, created_at, email_verified_at) on users
  to sluice_reader, sluice_editor;

create table api_keys (
  -- Public part of the key. The secret is stored as an HMAC-SHA-256 whose pepper is not in the
  -- database.
  key_id text primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- The <env> of slk_<env>_…. The successor of a rotated key keeps it.
  environment text not null,
  secret_digest bytea not null,
  scopes text[] not null,
  -- Maximum number of decisions per window for this key, in addition to the limit of its
  -- organization; null if the key has no limit of its own.
  rate_limit_points integer check (rate_limit_points > 0),
  created_at timestamptz not null default now(),
  created_by uuid references users,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- The successor of a rotated key.
  replaced_by text references api_keys (key_id),
  -- Can lag behind the last use by a minute or two: gateways write it periodically and never
  -- during a request.
  last_used_at timestamptz
);
create index api_keys_organization on api_keys (organization_id);
comment on table api_keys is
  'API keys: public id, HMAC of the secret, scopes, limit, expiry, revocation, last use.';
call keep_accounts('api_keys');
call share_by_organization('api_keys');
grant select (key_id, organization_id, name, environment, scopes, rate_limit_points, created_at,
              created_by, expires_at, revoked_at, replaced_by, last_used_at)
  on api_keys to sluice_reader, sluice_editor;
grant insert, update on api_keys to sluice_editor;

-- A login and the tokens issued for it. They are revoked together.
create table sessions (
  session_id uuid primary key,
  user_id uuid not null references users,
  -- Organization for which the session acts.
  organization_id uuid not null references organizations,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- End of the session unless it is refreshed. Each refresh extends it, but not beyond ends_at.
  expires_at timestamptz not null,
  ends_at timestamptz not null,
  revoked_at timestamptz,
  -- logout, refresh_reused, password, user, removed or many.
  revoked_reason text,
  user_agent text,
  address text,
  -- Network of the login: an IPv4 address, or the first 64 bits of an IPv6 address. While logins to
  -- an account are limited, networks with a recent login are still accepted.
  network text
);
create index sessions_by_user on sessions (user_id, created_at desc);
create index sessions_by_age on sessions using brin (ends_at) with (autosummarize = on);
create index sessions_by_network on sessions (user_id, network);
comment on table sessions is
  'Logins. Revoking one invalidates all of its refresh tokens.';
call keep_accounts('sessions');

create table refresh_tokens (
  -- SHA-256 of the token.
  token_digest bytea primary key,
  session_id uuid not null references sessions on delete cascade,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index refresh_tokens_by_session on refresh_tokens (session_id);
comment on table refresh_tokens is
  'Digests of refresh tokens. Each token can be used once.';
call keep_accounts('refresh_tokens');

-- An email token proves access to the mailbox of the address.
create table email_tokens (
  -- SHA-256 of the token.
  token_digest bytea primary key,
  -- Null if no account has the email. A request to reset a password always writes a row, so that
  -- its response time does not reveal whether an account exists.
  user_id uuid references users,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  email text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index email_tokens_by_user on email_tokens (user_id, purpose);
comment on table email_tokens is
  'Digests of the tokens sent by email to verify an address or reset a password.';
call keep_accounts('email_tokens');

create table registrations (
  -- SHA-256 of the token in the email.
  token_digest bytea primary key,
  email text not null,
  password_hash text not null,
  name text,
  organization_name text not null,
  create_key boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
comment on table registrations is
  'Unconfirmed registrations, including those with an email that is already in use.';
call keep_accounts('registrations');

create table invites (
  organization_id uuid not null references organizations,
  invite_id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  token_digest bytea not null unique,
  invited_by uuid not null references users,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, invite_id)
);
create unique index invites_pending on invites (organization_id, email)
  where accepted_at is null and revoked_at is null;
comment on table invites is
  'Invitations to join an organization.';
call keep_accounts('invites');
call share_by_organization('invites');
grant select (organization_id, invite_id, email, role, invited_by, created_at, expires_at,
              accepted_at, revoked_at) on invites to sluice_reader, sluice_editor;
grant insert, update on invites to sluice_editor;

create table audit_log (
  organization_id uuid not null,
  entry_id uuid not null,
  created_at timestamptz not null default now(),
  -- user, api_key or system.
  actor_kind text not null,
  -- Id of the user or key; null for the system.
  actor_id text,
  -- For example api_key.created.
  action text not null,
  target_kind text,
  target_id text,
  -- JSON text with the details of the change, without secrets.
  details text,
  address text,
  request_id text,
  primary key (organization_id, entry_id)
);
create index audit_log_by_time on audit_log (organization_id, created_at desc, entry_id desc);
comment on table audit_log is
  'Changes and who made them, written in the same transaction as the change.';
call keep_accounts('audit_log');
call share_by_organization('audit_log');
grant select on audit_log to sluice_reader, sluice_editor;
grant insert on audit_log to sluice_editor;
