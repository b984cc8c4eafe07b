-- Organizations, the people who log in, and the keys that agents send with.

create table organizations (
  organization_id uuid primary key,
  name text not null,
  -- Decisions per window; null follows RATE_LIMIT_POINTS.
  rate_limit_points integer check (rate_limit_points > 0),
  created_at timestamptz not null default now()
);

create table users (
  user_id uuid primary key,
  organization_id uuid not null references organizations,
  -- Lower case, trimmed: one person is one row however they type it.
  email text not null unique,
  password_hash text not null,
  role text not null default 'owner' check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default now()
);

create table api_keys (
  -- The public part of a key; the secret is stored as HMAC-SHA-256 under a pepper kept elsewhere.
  key_id text primary key,
  organization_id uuid not null references organizations,
  name text not null,
  secret_digest bytea not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);

create index api_keys_organization on api_keys (organization_id);
