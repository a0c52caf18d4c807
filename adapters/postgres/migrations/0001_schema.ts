/**
 * The tables of the first release.
 *
 * JSON of users and pages is kept as text: it stays as it was written, in its order of keys and with characters that
 * `jsonb` refuses, and the database compresses it. Lookups by such text use its hash.
 */

/** A table of the kind that `PgCollection` reads, with additional columns. */
const collection = (name: string, more: ReadonlyArray<string> = []): string =>
  `create table ${name} (
    ${[
      "id uuid primary key",
      "position bigint generated always as identity",
      "workspace_id uuid not null references workspaces",
      "key_hash text not null",
      "body text not null",
      ...more,
      "unique (workspace_id, key_hash)"
    ].join(",\n    ")}
  )`

const workspaces = [
  `create table workspaces (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null,
    waiting_ttl_ms bigint check (waiting_ttl_ms > 0),
    input_required_timeout_s integer not null default 15 check (input_required_timeout_s between 5 and 300),
    signed_url_ttl_s integer not null default 604800 check (signed_url_ttl_s between 3600 and 604800),
    retention_days text not null default '{}',
    founding boolean not null default false
  )`,
  // The last digits of a workspace's id are part of the addresses of its inbox.
  `create index workspaces_by_prefix on workspaces (right(id::text, 8))`,

  // `seals_with` is the version of the workspace key that the holder last sealed a value with, while two are accepted.
  `create table api_keys (
    id uuid primary key,
    hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
    workspace_id uuid not null references workspaces,
    user_id uuid not null,
    role text not null check (role in ('Viewer', 'Member', 'Owner')),
    created_at timestamptz not null,
    revoked_at timestamptz,
    name text,
    seals_with integer,
    scopes text[],
    expires_at timestamptz,
    last_used_at timestamptz
  )`,
  `create index api_keys_of_workspace on api_keys (workspace_id)`,

  // Sessions of browsers at the console, and the links that open one.
  `create table sign_ins (
    hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
    kind text not null check (kind in ('link', 'session')),
    workspace_id uuid not null references workspaces,
    key_id uuid not null references api_keys,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index sign_ins_by_expiry on sign_ins (expires_at)`,

  // Who changed what. `body` holds the names, the reason and the states before and after, without secrets.
  `create table audit_entries (
    position bigint generated always as identity primary key,
    workspace_id uuid not null references workspaces,
    at timestamptz not null,
    action text not null,
    resource_id text,
    user_id uuid,
    key_id uuid,
    body text not null
  )`,
  `create index audit_entries_of_workspace on audit_entries (workspace_id, position desc)`,
  `create index audit_entries_of_resource on audit_entries (workspace_id, resource_id, position desc)`,

  collection("error_codes"),

  // A key is the hash of the token of an invitation.
  collection("invitations"),

  // The processes that are alive. `artifact_store` names the store that a process keeps artifacts in. `capacity` is how many
  // runs it executes at once; null for a process that executes none.
  `create table processes (
    id uuid primary key,
    part text not null,
    version text not null,
    tz_data text,
    artifact_store text,
    clock_skew_ms bigint not null,
    capacity integer,
    running integer not null,
    browsers integer not null,
    began_at timestamptz not null,
    seen_at timestamptz not null
  )`,

  // By how much the clock of an installation for tests is ahead of that of the database.
  `create table test_clock (
    single boolean primary key default true check (single),
    ahead_ms bigint not null
  )`,

  // The answers to requests with idempotency keys. An entry without a status is reserved by an attempt that runs, or
  // that ended without an answer.
  `create table idempotency_keys (
    workspace_id uuid not null references workspaces,
    key text not null,
    digest text not null,
    created_at timestamptz not null,
    reserved_until timestamptz not null,
    status integer,
    content_type text,
    body text,
    primary key (workspace_id, key),
    check ((status is null) = (content_type is null))
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`
]

const workflows = [
  `create table workflows (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    name text not null,
    description text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    created_by uuid not null
  )`,
  `create index workflows_of_workspace on workflows (workspace_id, updated_at desc)`,
  `create index workflows_named on workflows (workspace_id, name)`,
  `create table workflow_versions (
    version_id uuid primary key,
    workflow_id uuid not null references workflows,
    version_number integer not null check (version_number >= 1),
    created_at timestamptz not null,
    created_by uuid not null,
    version_note text,
    name text not null,
    description text,
    nodes text not null,
    edges text not null,
    input_schema text not null,
    output_schema text not null,
    vault_schema text not null,
    max_retries integer not null,
    settings text not null,
    unique (workflow_id, version_number)
  )`,

  // The one row on which submissions, edits and claims of a workflow serialise. The interval [starts_at, stops_at) is
  // derived from the rest at every write: both are null when runs may not start, `stops_at` alone when there is no
  // end. A deleted workflow has its mark here, so that a transaction that waited for the row sees it. `slots` says
  // whether a run with credentials was ever submitted. No waiting run that a user released past the window starts before
  // `released_ready_at`; it is null where none waits. `waiting` is true where a run may wait; none of those that wait
  // may start before `ready_at`: all are put off until then, or wait for what `blocked_on` names. What is given back
  // takes `ready_at` away; until then it is a net that makes claims look again some time. `moved_at` is when newer time zone
  // data than `moved_from` were found to move the interval of the present window.
  `create table gates (
    workflow_id uuid primary key references workflows,
    workspace_id uuid not null references workspaces,
    run_window text,
    window_set_at timestamptz,
    window_set_by uuid,
    window_revision integer not null,
    revision integer not null,
    lift_since timestamptz,
    lift_by uuid,
    paused_at timestamptz,
    paused_until timestamptz,
    paused_by uuid,
    paused_reason text,
    max_starts_per_minute integer check (max_starts_per_minute > 0),
    max_running integer check (max_running > 0),
    starts_at timestamptz,
    stops_at timestamptz check (stops_at is null or starts_at < stops_at),
    review_at timestamptz,
    zone_data text,
    moved_at timestamptz,
    moved_from text,
    waiting boolean not null default false,
    ready_at timestamptz not null default 'epoch',
    released_ready_at timestamptz,
    blocked_on text[],
    paced_until timestamptz,
    served_at timestamptz,
    removed_at timestamptz,
    slots boolean not null default false
  )`,
  // A claim looks only at gates that let runs start and have one that may: not at those that are closed, nor at those
  // whose runs are all put off, nor at those whose pace allows no start.
  `create index gates_startable on gates (greatest(starts_at, ready_at, paced_until))
    where waiting and starts_at is not null`,
  `create index gates_with_released_runs on gates (released_ready_at) where released_ready_at is not null`,
  `create index gates_blocked on gates using gin (blocked_on) with (fastupdate = off) where blocked_on is not null`,
  `create index gates_blocked_of_workspace on gates (workspace_id) where blocked_on is not null`,
  `create index gates_to_review on gates (review_at) where review_at is not null`,
  `create index gates_moved on gates (workspace_id, moved_at) where moved_at is not null`,
  // Those that were computed with older time zone data than those of a process that reviews gates.
  `create index gates_by_zone_data on gates (zone_data) where zone_data is not null`,
  `create index gates_paced on gates (workspace_id, workflow_id)
    where max_starts_per_minute is not null or max_running is not null`,
  `create index gates_removed on gates (workflow_id) where removed_at is not null and waiting`,
  // The instants until which starts of paced workflows use up their pace. Claims lock these rows behind the gates, which they
  // share with submissions.
  `create table gate_paces (
    workflow_id uuid primary key references workflows,
    taken_until timestamptz not null
  )`,
  // The windows that workflows had: by these the starts of runs are judged later. A window without a definition was
  // removed. A trigger keeps each as it is set, in the transaction of the edit.
  `create table run_windows (
    workflow_id uuid not null references workflows,
    revision integer not null,
    definition text,
    set_at timestamptz,
    set_by uuid,
    primary key (workflow_id, revision)
  )`,
  `create function keep_window() returns trigger language plpgsql as $$
  begin
    insert into run_windows (workflow_id, revision, definition, set_at, set_by)
    values (new.workflow_id, new.window_revision, new.run_window, new.window_set_at, new.window_set_by);
    return null;
  end $$`,
  `create trigger first_windows_are_kept after insert on gates for each row
    when (new.window_revision > 0) execute function keep_window()`,
  `create trigger windows_are_kept after update of window_revision on gates for each row
    when (new.window_revision <> old.window_revision) execute function keep_window()`,
  // The workflows whose held runs still need the event that an edit holds them: the watched ones after `announced_to`, up
  // to `last`, once the workflow itself has its event.
  `create table hold_announcements (
    workflow_id uuid primary key references workflows,
    announced boolean not null default false,
    served bigint generated always as identity,
    announced_to bigint not null,
    last bigint not null
  )`,

  // Components have versions, and more than one may have the same name, which a collection does not allow for.
  `create table components (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    created_by uuid not null
  )`,
  `create index components_of_workspace on components (workspace_id, position)`,
  `create table component_versions (
    id uuid primary key,
    component_id uuid not null references components on delete cascade,
    version_number integer not null check (version_number >= 1),
    created_at timestamptz not null,
    created_by uuid not null,
    version_note text,
    component_data text not null,
    unique (component_id, version_number)
  )`,
  // Which components the latest version of each workflow holds, written with that version. No reference to components:
  // a workflow may name a deleted one.
  `create table workflow_components (
    component_id uuid not null,
    workflow_id uuid not null references workflows,
    primary key (component_id, workflow_id)
  )`,
  `create index workflow_components_of_workflow on workflow_components (workflow_id)`,

  // Findings of runs: the changes that they propose for their workflow, and the appearance of its elements.
  collection("patches", ["workflow_id uuid not null references workflows"]),
  `create index patches_by_workflow on patches (workflow_id, position)`,
  `create table element_memory (
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    node_id text not null,
    seen_at timestamptz not null,
    body text not null,
    primary key (workflow_id, node_id)
  )`
]

const runs = [
  // A run names a version, which belongs to one workflow and so to one workspace, and it is inserted under the lock of
  // that workflow's gate. References to all three took a quarter of the time of an insertion, so there is one.
  //
  // All runs of one `queue` can be given slots, or none can; runs that need none are in the queue without a
  // name. `holds` names the slots that a running run has.
  `create sequence run_fences`,
  `create table runs (
    id uuid primary key,
    sequence bigint generated always as identity,
    workspace_id uuid not null,
    workflow_id uuid not null,
    version_id uuid not null references workflow_versions,
    status text not null check (status in ('execution.queued', 'execution.requeued', 'execution.start',
      'execution.success', 'execution.failed', 'execution.stopped')),
    input text not null,
    options text not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    attempts integer not null,
    retries integer not null,
    max_retries integer not null,
    not_before timestamptz not null,
    retry_of uuid,
    retry_by uuid,
    retry_reason text,
    released_at timestamptz,
    released_by uuid,
    released_pause timestamptz,
    expires_at timestamptz,
    priority integer not null default 0 check (priority between -10 and 10),
    start_by timestamptz,
    place bigint not null generated always as (((10 - priority)::bigint << 56) | sequence) stored,
    lease_worker text,
    lease_fence bigint,
    lease_until timestamptz,
    acted boolean not null,
    committed boolean not null,
    mark text,
    data text not null,
    errors text not null,
    client_id uuid,
    watched boolean not null default false,
    added_output text,
    credentials text not null default '[]',
    queue text collate "C" not null default '',
    holds text[],
    trigger text not null default 'api',
    tags text[] not null default '{}',
    check ((status = 'execution.start') = (lease_fence is not null)),
    check ((lease_fence is null) = (lease_until is null) and (lease_fence is null) = (lease_worker is null)),
    check ((ended_at is null) = (status in ('execution.queued', 'execution.requeued', 'execution.start')))
  )`,
  // With `not_before`, runs that are put off are passed over in the index. It has all by which waiting runs are counted.
  `create index runs_waiting on runs (workflow_id, sequence, not_before)
    include (status, created_at, queue, released_at, released_pause, trigger)
    where status in ('execution.queued', 'execution.requeued')`,
  // The order in which the runs of a workflow start: the higher priority first, then the earlier submission.
  `create index runs_in_place on runs (workflow_id, place, not_before)
    where status in ('execution.queued', 'execution.requeued')`,
  `create index runs_waiting_in_queue on runs (workflow_id, queue, place)
    where status in ('execution.queued', 'execution.requeued')`,
  `create index runs_waiting_of_queue on runs (workspace_id, queue)
    where status in ('execution.queued', 'execution.requeued') and queue <> ''`,
  `create index runs_that_retry on runs (retry_of, sequence) where retry_of is not null`,
  // Runs that users released past a closed window, which a claim finds among any number of held ones.
  `create index runs_released on runs (workflow_id, place)
    where status in ('execution.queued', 'execution.requeued') and released_at is not null`,
  `create index runs_released_in_queue on runs (workflow_id, queue, place)
    where status in ('execution.queued', 'execution.requeued') and released_at is not null`,
  // A watched run gets a separate event when an edit holds it.
  `create index runs_waiting_watched on runs (workflow_id, sequence)
    where watched and status in ('execution.queued', 'execution.requeued')`,
  `create index runs_leased on runs (lease_until) where status = 'execution.start'`,
  // A slot counts only while its run is carried out, so nothing else has to give it back.
  `create index runs_holding on runs using gin (holds) with (fastupdate = off)
    where status = 'execution.start' and holds is not null`,
  `create index runs_expiring on runs (expires_at)
    where status in ('execution.queued', 'execution.requeued') and expires_at is not null`,
  `create index runs_to_start_by on runs (start_by)
    where status in ('execution.queued', 'execution.requeued') and start_by is not null and started_at is null`,
  `create index runs_put_off on runs (not_before) where status = 'execution.requeued'`,
  `create index runs_put_off_of_workflow on runs (workflow_id, not_before) where status = 'execution.requeued'`,
  // Lists are newest first, by stored status: see `PgRunFilter`.
  `create index runs_of_workspace on runs (workspace_id, status, created_at desc, sequence desc)`,
  `create index runs_of_workflow on runs (workflow_id, status, created_at desc, sequence desc)`,
  `create index runs_of_trigger on runs (workspace_id, trigger, status, created_at desc, sequence desc)`,
  // Retention removes the oldest of a workspace first. Of a part of runs that is kept for a shorter time than the runs,
  // everything is removed up to a place in that order.
  `create index runs_ended on runs (workspace_id, ended_at, id) where ended_at is not null`,
  `create table retention_places (
    workspace_id uuid not null references workspaces,
    part text not null,
    ended_at timestamptz not null,
    run_id uuid not null,
    primary key (workspace_id, part)
  )`,
  `create index runs_of_client on runs (workspace_id, client_id) where client_id is not null`,

  // A long input is collected here within the transaction that submits its run. Empty otherwise.
  `create unlogged table run_input_pieces (
    run_id uuid not null,
    position integer not null,
    piece text not null,
    primary key (run_id, position)
  )`,

  // The tags, error codes and credentials of runs, each as the beginning of a hash, in the order of lists. What never
  // changes of a run is in the index too: a list with a label and a condition on it reads nothing else.
  `create table run_labels (
    workspace_id uuid not null,
    label uuid not null,
    created_at timestamptz not null,
    sequence bigint not null,
    run_id uuid not null,
    workflow_id uuid not null,
    trigger text not null,
    primary key (workspace_id, label, created_at, sequence) include (run_id, workflow_id, trigger)
  )`,
  `create index run_labels_of_run on run_labels (run_id)`,
  `create function run_label(kind text, value text) returns uuid language sql immutable parallel safe as $$
    select left(encode(sha256(convert_to(kind || ':' || value, 'UTF8')), 'hex'), 32)::uuid
  $$`,
  `create function label_tags() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then
      delete from run_labels using unnest(old.tags) tag
        where run_id = new.id and label = run_label('tag', tag) and tag <> all (new.tags);
    end if;
    insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      select new.workspace_id, run_label('tag', tag), new.created_at, new.sequence, new.id, new.workflow_id, new.trigger
      from unnest(new.tags) tag
      on conflict do nothing;
    return null;
  end $$`,
  `create trigger tags_are_listed after insert on runs for each row
    when (new.tags <> '{}') execute function label_tags()`,
  `create trigger changed_tags_are_listed after update of tags on runs for each row
    when (new.tags <> old.tags) execute function label_tags()`,

  // Why each attempt of a run started when it did. Starts and events are written under the lock of their run, which a
  // reference to it would take once more for each of them.
  `create table run_starts (
    run_id uuid not null,
    attempt integer not null,
    workspace_id uuid not null,
    workflow_id uuid not null,
    at timestamptz not null,
    worker text not null,
    gate_revision integer not null,
    window_revision integer not null,
    window_hash text,
    lift_since timestamptz,
    lift_by uuid,
    release text,
    zone_data text not null,
    primary key (run_id, attempt)
  )`,
  `create index run_starts_of_workspace on run_starts (workspace_id, at)`,

  // A failure of a run is in the run's row as well, where its record is read; here it is counted.
  `create table run_errors (
    run_id uuid not null references runs,
    position integer not null,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    at timestamptz not null,
    error_code text not null,
    body text not null,
    primary key (run_id, position)
  )`,
  `create index run_errors_of_workflow on run_errors (workflow_id, at desc)`,
  `create index run_errors_of_workspace on run_errors (workspace_id, at desc)`,
  `create function label_error() returns trigger language plpgsql as $$
  begin
    insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      select workspace_id, run_label('error', new.error_code), created_at, sequence, id, workflow_id, trigger
      from runs where id = new.run_id
      on conflict do nothing;
    return null;
  end $$`,
  `create trigger errors_are_listed after insert on run_errors for each row execute function label_error()`,

  // Failed logins after which waiting runs are still to be stopped: those up to the sequence `last`, from the queue
  // that is named here.
  `create table login_failures (
    run_id uuid primary key references runs,
    workspace_id uuid not null references workspaces,
    entry text not null,
    login text not null,
    failed_at timestamptz not null,
    last bigint not null,
    workflow_id uuid,
    queue text collate "C"
  )`,
  `create index login_failures_of_entry on login_failures (entry)`,

  // The latest question of each run. An answer is kept here only until the run has taken it.
  `create table interactions (
    run_id uuid primary key references runs on delete cascade,
    id uuid not null,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    fence bigint not null,
    question text not null,
    asked_at timestamptz not null,
    expires_at timestamptz not null,
    answered_at timestamptz,
    closed_at timestamptz,
    answer text check (answer is null or (answered_at is not null and closed_at is null))
  )`,
  `create index interactions_not_taken on interactions (expires_at) where answer is not null`
]

const schedules = [
  // `due_at` is when a schedule is to be looked at next: of the hundreds of thousands there may be, a tick reads those
  // that are due. `waits` says that firings wait for the end of the runs in `runs`. `window_revision` is there where the
  // window of the workflow decides when it fires.
  `create table schedules (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    revision integer not null,
    due_at timestamptz,
    waits boolean not null,
    window_revision integer,
    runs text[] not null,
    body text not null
  )`,
  `create index schedules_due on schedules (due_at) where due_at is not null`,
  `create index schedules_waiting on schedules (id) where waits`,
  `create index schedules_of_workspace on schedules (workspace_id, id)`,
  `create index schedules_of_workflow on schedules (workflow_id, id)`,
  // The key allows one scheduled firing for an instant, and one that a user asked for.
  `create table schedule_firings (
    schedule_id uuid not null references schedules on delete cascade,
    instant timestamptz not null,
    by_hand boolean not null,
    decided_at timestamptz not null,
    outcome text not null check (outcome in ('submitted', 'queued', 'skipped', 'missed', 'failed')),
    run_id uuid,
    reason text,
    primary key (schedule_id, instant, by_hand),
    check ((outcome = 'submitted') = (run_id is not null))
  )`,
  // Schedules go with their workflow, and look again at a window that was edited.
  `create function tell_schedules() returns trigger language plpgsql as $$
  begin
    if new.removed_at is not null then
      delete from schedules where workflow_id = new.workflow_id;
    else
      update schedules set due_at = 'epoch' where workflow_id = new.workflow_id and window_revision is not null;
    end if;
    return null;
  end $$`,
  `create trigger schedules_follow_their_workflow after update of window_revision, removed_at on gates for each row
    when (new.window_revision <> old.window_revision or new.removed_at is not null) execute function tell_schedules()`
]

const evidence = [
  `create table run_snapshots (
    run_id uuid not null references runs,
    node_id text not null,
    artifact_id uuid not null,
    at timestamptz not null,
    primary key (run_id, node_id)
  )`,
  `create index run_snapshots_by_age on run_snapshots (at)`,
  `create index run_snapshots_by_artifact on run_snapshots (artifact_id)`,
  `create table network_logs (
    run_id uuid primary key references runs,
    open boolean not null,
    truncated boolean not null
  )`,
  `create table network_events (
    run_id uuid not null references network_logs,
    id text not null,
    started_at timestamptz not null,
    body_characters integer not null,
    body text not null,
    primary key (run_id, id)
  )`,
  `create index network_events_by_age on network_events (started_at)`,

  // The decisions of models.
  `create table run_decisions (
    run_id uuid not null references runs,
    position integer not null,
    body text not null,
    at timestamptz not null,
    primary key (run_id, position)
  )`,
  `create index run_decisions_by_age on run_decisions (at)`,

  `create table artifacts (
    id uuid primary key,
    run_id uuid not null references runs,
    workflow_id uuid not null references workflows,
    kind text not null check (kind in ('screenshot', 'snapshot', 'video', 'file')),
    bytes bigint not null default 0,
    at timestamptz not null,
    finished_at timestamptz,
    taken_at timestamptz
  )`,
  `create index artifacts_of_run on artifacts (run_id)`,
  `create index artifacts_of_workflow on artifacts (workflow_id)`,
  `create index artifacts_by_age on artifacts (at)`,
  `create index artifacts_unfinished on artifacts (at) where finished_at is null`,
  // The artifacts that runs left out, and when their artifacts were removed.
  `create table artifact_totals (
    run_id uuid primary key references runs,
    left_out integer not null default 0,
    removed_at timestamptz
  )`,

  // Live views: their single-use tokens, the key and user that got one, and who has control of a run.
  `create table live_admissions (
    hash text primary key,
    run_id uuid not null references runs,
    expires_at timestamptz not null,
    user_id uuid,
    key_id uuid
  )`,
  `create index live_admissions_of_run on live_admissions (run_id)`,
  `create index live_admissions_over on live_admissions (expires_at)`,
  `create table live_controls (
    run_id uuid primary key references runs,
    holder text not null,
    user_id uuid not null,
    since timestamptz not null,
    until timestamptz not null
  )`,
  // Not logged: pictures of live views need not survive a crash.
  `create unlogged table live_frames (
    run_id uuid primary key references runs,
    at timestamptz not null,
    bytes bytea not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000)`,
  // Pictures are compressed already.
  `alter table live_frames alter column bytes set storage external`
]

const events = [
  // The log is read in the order of `tx`, then `sequence`, up to the oldest transaction that is still open: no later
  // commit can appear before what was read. Transactions of other databases of the server, which cannot write here, are
  // left out where they are known. `places_after` keeps the events of one run in their order also where a transaction that
  // began earlier had to wait for the run: as it is volatile, it sees what was committed before it is called. Nothing can
  // come before the first event. An event without a place gets its place from the trigger. No event is looked up by its
  // sequence alone, for which each would be in one more index.
  `create table run_events (
    sequence bigint generated always as identity,
    run_id uuid not null,
    at timestamptz not null,
    event text not null,
    payload text not null,
    tx xid8 not null default '0',
    expires_at timestamptz,
    primary key (run_id, sequence)
  )`,
  `create index run_events_in_order on run_events (tx, sequence)`,
  `create function places_after(ids uuid[]) returns table (run_id uuid, tx xid8) language plpgsql volatile
    set enable_seqscan to off as $$
  begin
    return query select one, greatest(pg_current_xact_id(),
        (select event.tx from run_events event where event.run_id = one order by event.sequence desc limit 1))
      from unnest(ids) one;
  end $$`,
  `create function place_event() returns trigger language plpgsql as $$
  begin
    select place.tx into new.tx from places_after(array[new.run_id]) place;
    return new;
  end $$`,
  `create trigger events_are_placed before insert on run_events for each row
    when (new.tx = '0') execute function place_event()`,
  `create function settled_before() returns xid8 language sql stable as $$
    select coalesce(
      (select running from pg_snapshot_xip(pg_current_snapshot()) running
        where not exists (select from pg_stat_activity
          where backend_xid = running::xid and datname <> current_database())
        order by running limit 1),
      pg_snapshot_xmax(pg_current_snapshot()))
  $$`,

  // How far events were passed on: by each consumer of the log, and of each run to the client that streams it.
  `create table event_consumers (
    name text primary key,
    tx xid8 not null,
    sequence bigint not null
  )`,
  // The events of a workflow that a consumer has put off: those after one place, up to another.
  `create table event_backlogs (
    consumer text not null references event_consumers,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    from_tx xid8 not null,
    from_sequence bigint not null,
    to_tx xid8 not null,
    to_sequence bigint not null,
    served bigint generated always as identity,
    primary key (consumer, workflow_id)
  )`,
  `create table client_progress (
    run_id uuid primary key references runs,
    sequence bigint not null,
    last boolean not null
  )`,

  collection("run_subscriptions"),
  collection("webhooks"),
  // `target` is the registered webhook, or the run itself for the webhook that its submission named. Deliveries of one
  // run and target stand in a line: one that has never been due has no `next_attempt_at`, and is pending. `turn` grows
  // with every entry of the queue that is made for a delivery: only the latest one counts.
  `create table webhook_deliveries (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    run_id uuid not null references runs,
    target uuid not null,
    sequence bigint not null,
    url text not null,
    created_at timestamptz not null,
    since timestamptz not null,
    status text not null check (status in ('pending', 'delivered', 'dead')),
    attempts integer not null,
    next_attempt_at timestamptz,
    turn integer not null,
    duration_ms integer,
    response_status integer,
    errors text not null,
    unique (run_id, target, sequence),
    check (status = 'pending' or next_attempt_at is null)
  )`,
  `create index webhook_deliveries_of_workspace on webhook_deliveries (workspace_id, position desc)`,
  `create index webhook_deliveries_unsettled on webhook_deliveries (workspace_id, status, position desc)
    where status <> 'delivered'`
]

const vault = [
  // The keys of workspaces and of the installation, each wrapped by a master key: the hexadecimal of a 12-byte IV, 32
  // bytes of key and a 16-byte tag.
  `create table wrapped_keys (
    owner text not null,
    workspace_id uuid references workspaces,
    version integer not null check (version >= 1),
    wrapped text not null check (wrapped ~ '^[0-9a-f]{120}$'),
    master_key text,
    created_at timestamptz not null,
    retired_at timestamptz,
    primary key (owner, version),
    check (owner = coalesce(workspace_id::text, 'installation'))
  )`,
  collection("resealings"),
  collection("secret_providers"),

  // Columns that follow from an entry, so that a claim need not read the whole entry, which may contain megabytes of
  // cookies. `served` and `login_failed_at` are what happened to it since.
  collection("vault_entries", [
    "site_hash text",
    "runs_allowed integer check (runs_allowed > 0)",
    "login_rule text",
    "changed_at timestamptz not null",
    "served bigint not null default 0",
    "login_failed_at timestamptz",
    "mailbox_hash text"
  ]),
  // What an edit of an entry allows may let runs start that wait for it.
  `create function look_again() returns trigger language plpgsql as $$
  begin
    update gates set ready_at = 'epoch', blocked_on = null,
      released_ready_at = case when released_ready_at is not null then 'epoch'::timestamptz end
    where workspace_id = coalesce(new.workspace_id, old.workspace_id) and blocked_on is not null;
    return null;
  end $$`,
  `create trigger blocked_gates_are_looked_at_again
    after insert or delete or update of key_hash, site_hash, runs_allowed, login_rule, changed_at on vault_entries
    for each row execute function look_again()`,
  `create index vault_entries_of_site on vault_entries (workspace_id, site_hash)`,
  `create index vault_entries_of_mailbox on vault_entries (mailbox_hash)`,

  // The last time step of a secret for one-time codes that was used. The secret is known by its fingerprint.
  `create table time_steps (
    key text primary key,
    last_step bigint not null,
    until timestamptz not null
  )`,
  `create index time_steps_by_age on time_steps (until)`,

  // Codes and links that arrived for credentials, and which messages arrived already.
  `create table received_codes (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    address text not null,
    sealed text not null,
    received_at timestamptz not null,
    kind text not null check (kind in ('code', 'link', 'uncertain_code')),
    authentication text
  )`,
  `create index received_codes_of_address on received_codes (workspace_id, address, received_at desc)`,
  `create index received_codes_by_age on received_codes (received_at)`,
  `create table received_messages (
    id text primary key check (length(id) <= 200),
    remember_until timestamptz not null
  )`,
  `create index received_messages_by_end on received_messages (remember_until)`,
  `create table phone_numbers (
    workspace_id uuid primary key references workspaces,
    number text not null unique check (number ~ '^\\+[1-9][0-9]{6,14}$')
  )`
]

const builder = [
  // Fields that queries of all conversations use have columns; the rest of one is its body. A lease is renewed without
  // the body.
  `create table conversations (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    started_at timestamptz not null,
    expires_at timestamptz not null,
    ended boolean not null,
    needs_host boolean not null,
    lease_host text,
    lease_until timestamptz,
    fence integer not null,
    body text not null,
    check ((lease_host is null) = (lease_until is null))
  )`,
  `create index conversations_of_workspace on conversations (workspace_id, started_at desc) where not ended`,
  `create index conversations_to_host on conversations (expires_at) where needs_host`,
  `create table conversation_messages (
    conversation_id uuid not null references conversations,
    number integer not null check (number >= 1),
    id uuid not null,
    body text not null,
    primary key (conversation_id, number),
    unique (conversation_id, id)
  )`,
  // Requested and delivered pictures of a conversation's page.
  `create table conversation_looks (
    conversation_id uuid not null references conversations,
    kind text not null check (kind in ('screenshot', 'html', 'elements')),
    wanted integer not null,
    given integer not null,
    view text,
    primary key (conversation_id, kind),
    check (given <= wanted)
  )`
]

const invariants = [
  // A run that is removed is removed with everything of it, by a transaction that says so. Where the trigger says
  // "always", nothing is.
  `create function refuse_change() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and current_setting('sluice.removal', true) = 'on' and tg_argv[1] is null then
      return old;
    end if;
    raise exception '% of % refused: %', tg_op, tg_table_name, tg_argv[0];
  end $$`,
  // Tags are no part of what happened. A generated column has no value yet in such a trigger.
  `create function refuse_change_except_of_tags() returns trigger language plpgsql as $$
  declare
    tagged runs := old;
  begin
    tagged.tags := new.tags;
    tagged.place := new.place;
    if new is distinct from tagged then
      raise exception '% of % refused: %', tg_op, tg_table_name, tg_argv[0];
    end if;
    return new;
  end $$`,
  `create trigger ended_runs_never_change before update on runs for each row
    when (old.ended_at is not null) execute function refuse_change_except_of_tags('the run has ended')`,
  `create trigger ended_runs_are_kept before delete on runs for each row
    when (old.ended_at is not null) execute function refuse_change('the run has ended')`,
  `create trigger events_are_only_appended before update or delete on run_events for each row
    execute function refuse_change('events are only appended')`,
  `create trigger audit_entries_are_only_appended before update or delete on audit_entries for each row
    execute function refuse_change('the audit trail is only appended', 'always')`,
  `create trigger starts_are_only_appended before update or delete on run_starts for each row
    execute function refuse_change('the ledger of starts is only appended')`,
  `create trigger windows_never_change before update or delete on run_windows for each row
    execute function refuse_change('a window that was set never changes', 'always')`,
  `create trigger versions_never_change before update or delete on workflow_versions for each row
    execute function refuse_change('a version never changes')`,
  `create trigger component_versions_never_change before update on component_versions for each row
    execute function refuse_change('a version never changes')`
]

export const schema: ReadonlyArray<string> = [
  workspaces,
  workflows,
  runs,
  schedules,
  evidence,
  events,
  vault,
  builder,
  invariants
].flat()
