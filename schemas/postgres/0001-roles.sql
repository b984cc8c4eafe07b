-- Creates the roles of the gateway and the owner, and the procedures that protect tables with row
-- security.

-- Roles belong to the whole server, so another database or a concurrent migration may have created
-- them already. If the owner may not create roles, an administrator must create them first.
do $$
declare
  wanted text;
begin
  foreach wanted in array
    array['sluice_reader', 'sluice_editor', 'sluice_accounts', 'sluice_storage']
  loop
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
        '%1$I can neither create nor join the role %2$s; as an administrator run: '
        'create role sluice_reader nologin; create role sluice_editor nologin; '
        'create role sluice_accounts nologin; create role sluice_storage nologin; '
        'grant sluice_reader, sluice_editor, sluice_accounts, sluice_storage to %1$I',
        current_user, wanted);
    end if;
    begin
      if wanted <> 'sluice_storage'
         and not has_schema_privilege(wanted, current_schema(), 'usage') then
        execute format('grant usage on schema %I to %I', current_schema(), wanted);
      end if;
    exception when unique_violation then null;
    end;
  end loop;
  -- A login with NOINHERIT would own the tables but see none of their rows.
  if not pg_has_role('sluice_storage', 'usage') then
    raise insufficient_privilege using message = format(
      '%1$I does not inherit its granted roles; as an administrator run: '
      'alter role %1$I inherit; revoke sluice_storage from %1$I; grant sluice_storage to %1$I',
      current_user);
  end if;
end
$$;

-- Lets readers see the rows of the organization that is set in their transaction. If none is set,
-- they see no rows. Members of sluice_storage, including the owner, see all rows; their privileges
-- on the table are granted elsewhere. No privileges on partitions are granted, because partitions
-- are read through their parent.
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

-- Lets readers and editors see the rows of their organization, and grants editors the given
-- privileges on them.
create procedure edit_by_organization(shown regclass, variadic rights text[])
language plpgsql as $$
begin
  call show_by_organization(shown);
  execute format(
    'create policy editor on %s to sluice_editor
       using (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))
       with check (organization_id =
         (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shown);
  execute format('grant select, %s on %s to sluice_editor', array_to_string(rights, ', '), shown);
end
$$;

-- Lets readers and editors see the rows of their organization.
create procedure show_to_editors(shown regclass) language plpgsql as $$
begin
  call show_by_organization(shown);
  execute format(
    'create policy editor on %s for select to sluice_editor using (organization_id =
       (select nullif(current_setting(''sluice.organization_id'', true), '''')::uuid))', shown);
  execute format('grant select on %s to sluice_editor', shown);
end
$$;

-- Lets authentication and the owner read and change all rows. Authentication needs this, because it
-- runs before the organization is known.
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

-- Lets readers and editors access the rows of their organization in a table of accounts. Their
-- privileges on the table are granted separately, in some cases by column.
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
