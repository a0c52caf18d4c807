/** One order for all events, the client that a run's events are streamed to, and how far they were passed on. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The log is read in the order of `tx`, then `sequence`, up to the oldest transaction that is still under way: no later
  // commit can appear before what was read. Transactions of other databases of the server, which cannot write here, are
  // left out where they are known. The trigger keeps the events of one run in their order also where a
  // transaction that began earlier had to wait for the run; nothing can come before the first event.
  `alter table run_events add column tx xid8 not null default pg_current_xact_id()`,
  `create index run_events_in_order on run_events (tx, sequence)`,
  `create function place_event() returns trigger language plpgsql as $$
  declare
    before xid8;
  begin
    select tx into before from run_events where run_id = new.run_id order by sequence desc limit 1;
    new.tx := greatest(pg_current_xact_id(), before);
    return new;
  end $$`,
  `create trigger events_are_placed before insert on run_events for each row
    when (new.event <> 'execution.queued') execute function place_event()`,

  `create function settled_before() returns xid8 language sql stable as $$
    select coalesce(
      (select running from pg_snapshot_xip(pg_current_snapshot()) running
        where not exists (select from pg_stat_activity
          where backend_xid = running::xid and datname <> current_database())
        order by running limit 1),
      pg_snapshot_xmax(pg_current_snapshot()))
  $$`,

  `create table event_consumers (
    name text primary key,
    tx xid8 not null,
    sequence bigint not null
  )`,

  `alter table runs add column client_id uuid`,
  `create index runs_of_client on runs (workspace_id, client_id) where client_id is not null`,
  `create table client_progress (
    run_id uuid primary key references runs,
    sequence bigint not null,
    last boolean not null
  )`
]

export const eventLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
