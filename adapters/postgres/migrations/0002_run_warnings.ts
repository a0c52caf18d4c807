/**
 * The warnings of runs. Runs that have some are in `run_labels`, by which lists find them.
 */
export const runWarnings: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `alter table runs
    add column warnings text not null default '[]',
    add column warning_count integer not null default 0`,
  `create function label_warnings() returns trigger language plpgsql as $$
  begin
    insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      values (new.workspace_id, run_label('warning', 'any'), new.created_at, new.sequence, new.id, new.workflow_id,
        new.trigger)
      on conflict do nothing;
    return null;
  end $$`,
  `create trigger warnings_are_listed after update of warning_count on runs for each row
    when (new.warning_count > 0 and old.warning_count = 0) execute function label_warnings()`
]
