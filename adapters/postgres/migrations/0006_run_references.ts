/**
 * The references of runs. They are in `run_labels`, by which lists find them. `run_references` has those of which one run
 * has each to itself.
 */
export const runReferences: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  "alter table runs add column reference text",
  `create function label_reference() returns trigger language plpgsql as $$
  begin
    insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      values (new.workspace_id, run_label('reference', new.reference), new.created_at, new.sequence, new.id,
        new.workflow_id, new.trigger)
      on conflict do nothing;
    return null;
  end $$`,
  `create trigger references_are_listed after insert on runs for each row
    when (new.reference is not null) execute function label_reference()`,
  `create table run_references (
    run_id uuid primary key references runs,
    workspace_id uuid not null references workspaces,
    reference text not null,
    unique (workspace_id, reference)
  )`
]
