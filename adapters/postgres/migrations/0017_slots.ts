/** What runs hold of credentials while they are carried out, and in which order they wait for them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Credential } from "../../../core/run/Credentials.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import * as SlotColumns from "../claim/SlotColumns.ts"
import * as Rows from "../Rows.ts"

const before = [
  // Columns derived from an entry, so that a claim need not read the whole entry: it may contain megabytes of cookies.
  // `served` and `login_failed_at` are what happened to it since.
  `alter table vault_entries
    add column site_hash text,
    add column runs_allowed integer check (runs_allowed > 0),
    add column login_rule text,
    add column changed_at timestamptz not null default 'epoch',
    add column served bigint not null default 0,
    add column login_failed_at timestamptz`,

  // Runs of one queue can all be given slots, or none of them. Those that need none are in the queue without a name.
  `alter table runs add column queue text collate "C" not null default '', add column holds text[]`,

  // Whether runs with credentials were ever submitted.
  `alter table gates add column slots boolean not null default false`,

  // Failed logins after which waiting runs are still to be stopped: those up to the sequence \`last\`, from the queue on
  // that is named here.
  `create table login_failures (
    run_id uuid primary key references runs,
    workspace_id uuid not null references workspaces,
    entry text not null,
    login text not null,
    last bigint not null,
    workflow_id uuid,
    queue text collate "C"
  )`,
  `create index login_failures_of_entry on login_failures (entry)`
]

const after = [
  `alter table vault_entries alter column changed_at drop default`,
  `create index vault_entries_of_site on vault_entries (workspace_id, site_hash)`,
  `create index runs_waiting_in_queue on runs (workflow_id, queue, sequence)
    where status in ('execution.queued', 'execution.requeued')`,
  // A slot counts only while its run is carried out: nothing else has to give it back.
  `create index runs_holding on runs using gin (holds) with (fastupdate = off)
    where status = 'execution.start' and holds is not null`
]

export const slots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of before) yield* sql.unsafe(statement)

  const entries = yield* sql<{ readonly id: string }>`select id from vault_entries`
  for (const { id } of entries) {
    const [row] = yield* sql<{ readonly body: string }>`select body from vault_entries where id = ${id}`
    if (row === undefined) continue
    // As it was written, whatever an entry has become since.
    const entry = JSON.parse(row.body) as VaultEntry
    yield* sql`update vault_entries set ${sql.update(SlotColumns.of(entry))} where id = ${id}`
  }

  const waiting = yield* sql<{ readonly credentials: string }>`
    select distinct credentials from runs
    where status in ('execution.queued', 'execution.requeued') and credentials <> '[]'`
  for (const { credentials } of waiting) {
    yield* sql`
      update runs set queue = ${Rows.queueOf(JSON.parse(credentials) as ReadonlyArray<Credential>)}
      where status in ('execution.queued', 'execution.requeued') and credentials = ${credentials}`
  }
  yield* sql`update gates set slots = true where exists (
    select from runs where runs.workflow_id = gates.workflow_id and queue <> '')`
  for (const statement of after) yield* sql.unsafe(statement)
})
