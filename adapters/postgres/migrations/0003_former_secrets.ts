/** By what the former secrets of credentials are known: a table as `PgCollection` reads it. */
export const formerSecrets: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table former_secrets (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    key_hash text not null,
    body text not null,
    unique (workspace_id, key_hash)
  )`
]
