-- Registrations that wait for their email, and requests for a password for unknown emails.

create table registrations (
  -- SHA-256 of the token that the email brings.
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
  'Registrations that were not confirmed yet; one is written for a taken email as well.';
call keep_accounts('registrations');

-- Null where no account has the email: a request for a password writes a row in either case.
alter table email_tokens alter column user_id drop not null;
