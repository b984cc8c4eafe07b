-- People and what they hold: memberships, sessions, invites, letters with tokens, what they did.

-- Whoever authenticates reads accounts before anybody knows the organization.
do $$
begin
  begin
    if to_regrole('sluice_accounts') is null then
      create role sluice_accounts nologin;
    end if;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  begin
    if to_regrole('sluice_accounts') is not null
       and not pg_has_role('sluice_accounts', 'usage') then
      execute format('grant %I to current_user', 'sluice_accounts');
    end if;
  exception when unique_violation or insufficient_privilege then null;
  end;
  if to_regrole('sluice_accounts') is null or not pg_has_role('sluice_accounts', 'member') then
    raise insufficient_privilege using message = format(
      '%1$I can neither make nor join the role sluice_accounts; as an administrator run: '
      'create role sluice_accounts nologin; grant sluice_accounts to %1$I', current_user);
  end if;
  begin
    if not has_schema_privilege('sluice_accounts', current_schema(), 'usage') then
      execute format('grant usage on schema %I to sluice_accounts', current_schema());
    end if;
  exception when unique_violation then null;
  end;
end
$$;

-- A person may belong to several organizations, with a role in each.
create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index memberships_by_user on memberships (user_id);
insert into memberships (organization_id, user_id, role, created_at)
select organization_id, user_id, role, created_at from users;

alter table users
  -- Where a login leads that names no organization; null leads to the first that there is.
  add column last_organization_id uuid references organizations,
  -- As the person wants to be called.
  add column name text,
  add column email_verified_at timestamptz,
  add column password_changed_at timestamptz not null default now();
update users set last_organization_id = organization_id;
alter table users drop column organization_id, drop column role;

-- A login and everything that was refreshed from it: revoked as one.
create table sessions (
  session_id uuid primary key,
  user_id uuid not null references users,
  -- The one it acts for.
  organization_id uuid not null references organizations,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- Without a refresh it ends here; each one moves it, up to ends_at.
  expires_at timestamptz not null,
  ends_at timestamptz not null,
  revoked_at timestamptz,
  -- logout, refresh_reused, password, user, removed, many.
  revoked_reason text,
  user_agent text,
  address text
);
create index sessions_by_user on sessions (user_id, created_at desc);
create index sessions_by_age on sessions using brin (ends_at) with (autosummarize = on);

-- Each is used once, and has a successor then.
create table refresh_tokens (
  -- SHA-256 of the token.
  token_digest bytea primary key,
  session_id uuid not null references sessions on delete cascade,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index refresh_tokens_by_session on refresh_tokens (session_id);

-- What was sent to an address: whoever has it reads letters there.
create table email_tokens (
  token_digest bytea primary key,
  user_id uuid not null references users,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  email text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index email_tokens_by_user on email_tokens (user_id, purpose);

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

-- Who changed what: written in the transaction that changes it, and never changed itself.
create table audit_log (
  organization_id uuid not null,
  entry_id uuid not null,
  created_at timestamptz not null default now(),
  -- user, api_key or system.
  actor_kind text not null,
  -- Of the user or key; null for the system.
  actor_id text,
  -- Such as api_key.created.
  action text not null,
  target_kind text,
  target_id text,
  -- JSON text of what else is to be known; never a secret.
  details text,
  address text,
  request_id text,
  primary key (organization_id, entry_id)
);
create index audit_log_by_time on audit_log (organization_id, created_at desc, entry_id desc);

alter table api_keys add column created_by uuid references users;

-- Shows accounts to whoever authenticates, and to the owner. Everybody else sees an organization's.
create procedure keep_accounts(kept regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', kept);
  execute format('alter table %s force row level security', kept);
  execute format(
    'create policy storage on %s to sluice_storage using (true) with check (true)', kept);
  execute format(
    'create policy accounts on %s to sluice_accounts using (true) with check (true)', kept);
  execute format('grant select, insert, update, delete on %s to sluice_accounts', kept);
end
$$;

-- The rows of one organization, for its readers and editors; what they may is granted apart.
create procedure share_by_organization(shared regclass) language plpgsql as $$
begin
  execute format(
    'create policy reader on %s for select to sluice_reader using (organization_id =
       (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shared);
  execute format(
    'create policy editor on %s to sluice_editor
       using (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))
       with check (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shared);
end
$$;

call keep_accounts('organizations');
call keep_accounts('users');
call keep_accounts('memberships');
call keep_accounts('api_keys');
call keep_accounts('sessions');
call keep_accounts('refresh_tokens');
call keep_accounts('email_tokens');
call keep_accounts('invites');
call keep_accounts('audit_log');
call share_by_organization('organizations');
call share_by_organization('memberships');
call share_by_organization('api_keys');
call share_by_organization('invites');
call share_by_organization('audit_log');

-- Who shares an organization sees names and addresses; nobody sees a hash or a digest.
create policy reader on users for select to sluice_reader, sluice_editor
  using (user_id in (select m.user_id from memberships m where m.organization_id =
    (select nullif(current_setting('sluice.organization_id', true), '')::uuid)));
grant select (user_id, email, name, created_at, email_verified_at) on users
  to sluice_reader, sluice_editor;
grant select on organizations, memberships, audit_log to sluice_reader, sluice_editor;
grant select (key_id, organization_id, name, environment, scopes, rate_limit_points, created_at,
              created_by, expires_at, revoked_at, replaced_by, last_used_at)
  on api_keys to sluice_reader, sluice_editor;
grant select (organization_id, invite_id, email, role, invited_by, created_at, expires_at,
              accepted_at, revoked_at) on invites to sluice_reader, sluice_editor;
grant update (name) on organizations to sluice_editor;
grant insert, update, delete on memberships to sluice_editor;
grant insert, update on api_keys, invites to sluice_editor;
grant insert on audit_log to sluice_editor;
