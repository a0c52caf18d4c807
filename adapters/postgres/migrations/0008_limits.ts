/**
 * Named limits of workspaces, a table as `PgCollection` reads it, with what runs draw on them by and what is taken of
 * their minute. `gates.limited` is null where no limit can count a run of the workflow; otherwise it is a number that each
 * change of a limit of the workspace replaces.
 */
export const limits: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table limits (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    key_hash text not null,
    body text not null,
    workflow_ids text[] not null,
    credential_ids text[] not null,
    tags text[] not null,
    taken_until timestamptz not null default 'epoch',
    unique (workspace_id, key_hash)
  )`,
  "create index limits_of_workflows on limits using gin (workflow_ids) with (fastupdate = off)",
  "create sequence limit_changes",
  "alter table gates add column limited bigint",
  // The lock keeps a workflow that is made meanwhile from being missed by a new limit.
  `create function note_limits() returns trigger language plpgsql as $$
  begin
    perform from workspaces where id = new.workspace_id for share;
    if exists (select from limits where workspace_id = new.workspace_id
        and (tags <> '{}' or credential_ids <> '{}' or new.workflow_id::text = any (workflow_ids))) then
      new.limited := nextval('limit_changes');
    end if;
    return new;
  end $$`,
  "create trigger limits_are_noted before insert on gates for each row execute function note_limits()"
]
