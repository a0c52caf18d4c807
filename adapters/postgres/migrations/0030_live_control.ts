/**
 * Who has control of a run that is watched, and pictures of watched runs without a log: they are worth nothing after a crash.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table live_admissions add column user_id uuid`,
  `create table live_controls (
    run_id uuid primary key references runs,
    holder text not null,
    user_id uuid not null,
    since timestamptz not null,
    until timestamptz not null
  )`,
  `drop table live_frames`,
  `create unlogged table live_frames (
    run_id uuid primary key references runs,
    at timestamptz not null,
    bytes bytea not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000)`,
  // Pictures are compressed already.
  `alter table live_frames alter column bytes set storage external`
]

export const liveControl = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
