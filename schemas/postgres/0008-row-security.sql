-- Row-level security: a reader sees the rows of one organization, whatever its queries forget.

-- Roles belong to the whole server, so they may be there already: made for another database, at
-- this moment even, or by an administrator because we may not make any.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['sluice_reader', 'sluice_storage'] loop
    begin
      if to_regrole(wanted) is null then
        execute format('create role %I nologin', wanted);
      end if;
    exception when duplicate_object or unique_violation or insufficient_privilege then null;
    end;
    begin
      if to_regrole(wanted) is not null and not pg_has_role(wanted, 'usage') then
        execute format('grant %I to current_user', wanted);
      end if;
    exception when unique_violation or insufficient_privilege then null;
    end;
    if to_regrole(wanted) is null or not pg_has_role(wanted, 'member') then
      raise insufficient_privilege using message = format(
        '%1$I can neither make nor join the role %2$s; as an administrator run: '
        'create role sluice_reader nologin; create role sluice_storage nologin; '
        'grant sluice_reader, sluice_storage to %1$I', current_user, wanted);
    end if;
  end loop;
  -- A login with NOINHERIT would own the tables and see no row of them.
  if not pg_has_role('sluice_storage', 'usage') then
    raise insufficient_privilege using message = format(
      '%1$I does not inherit what it is granted; as an administrator run: '
      'alter role %1$I inherit; revoke sluice_storage from %1$I; grant sluice_storage to %1$I',
      current_user);
  end if;
  if not has_schema_privilege('sluice_reader', current_schema(), 'usage') then
    execute format('grant usage on schema %I to sluice_reader', current_schema());
  end if;
end
$$;

-- Shows readers the rows of the organization that their transaction names, and no row when it names
-- none; and shows all rows to members of sluice_storage, the owner among them, who has his rights
-- from elsewhere. Partitions are reached through their parent: nobody is granted anything on them.
create procedure show_by_organization(shown regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', shown);
  execute format('alter table %s force row level security', shown);
  execute format(
    'create policy reader on %s for select to sluice_reader using (organization_id =
       (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shown);
  execute format(
    'create policy storage on %s to sluice_storage using (true) with check (true)', shown);
  execute format('grant select on %s to sluice_reader', shown);
end
$$;

call show_by_organization('decision_ids');
call show_by_organization('decisions');
call show_by_organization('evaluation_runs');
call show_by_organization('scores');
call show_by_organization('decision_hours');
call show_by_organization('erasures');

-- Belongs to no organization.
grant select on storage_progress to sluice_reader;

-- Behind row-level security an index serves only conditions that cannot leak what they see, and a
-- hash of a column is none of those. A text of any length does not fit an index: longer ones are
-- found by their time.
drop index decisions_by_agent;
drop index decisions_by_session;
create index decisions_by_agent on decisions
  (organization_id, agent_id collate "C", received_at desc, decision_id desc)
  where octet_length(agent_id) <= 1024;
create index decisions_by_session on decisions
  (organization_id, session_id collate "C", received_at desc, decision_id desc)
  where octet_length(session_id) <= 1024;
