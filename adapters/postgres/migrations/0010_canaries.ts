/** The last canary of each workflow. Its runs are told by the end of their id, below `threshold` of the candidate. */
export const canaries: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table canaries (
    workflow_id uuid primary key references workflows,
    running boolean not null,
    base_id uuid not null references workflow_versions,
    threshold bigint not null,
    body text not null
  )`,
  "create index canaries_running on canaries (workflow_id) where running",
  `create function version_for(workflow uuid, run uuid) returns uuid language sql stable parallel safe as $$
    select coalesce(
      (select base_id from canaries where workflow_id = workflow and running
        and ('x' || right(run::text, 8))::bit(32)::bigint >= threshold),
      (select version_id from workflow_versions where workflow_id = workflow order by version_number desc limit 1))
  $$`
]
