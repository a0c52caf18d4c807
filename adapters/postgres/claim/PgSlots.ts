/**
 * Assigns slots of credentials to claimed runs.
 *
 * The slots in use are read from the running runs, by a partial index. A claim first determines a possible assignment
 * without locks, so that it locks only what it needs. Then it locks the entries of the chosen runs, in the order of
 * their ids and in one statement, reads again, and assigns only what is still free.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Credential } from "../../../core/run/CredentialReferences.ts"
import * as LimitLedger from "../../../core/run/limit/LimitLedger.ts"
import type { Drawing, SpentLimit, UsedLimit } from "../../../core/run/limit/NamedLimit.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type { Pair } from "../../../core/vault/VaultEntry.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgLimits from "./PgLimits.ts"
import * as ReleasedRuns from "./ReleasedRuns.ts"
import * as SlotColumns from "./SlotColumns.ts"

/** The part of a waiting run that decides which slots it can be given. */
export interface Candidate {
  readonly id: string
  readonly workspace_id: string
  readonly workflow_id: string
  readonly place: bigint
  readonly queue: string
  readonly credentials: string
  readonly tags: ReadonlyArray<string>
  readonly not_before: Date
}

/** A run that could be given these credentials. */
export interface Assigned {
  readonly id: string
  readonly credentials: ReadonlyArray<Credential>
  /** What it draws on limits by when it starts. */
  readonly drawing: Drawing
}

/** Assigns free slots from the read state, minus those already assigned. */
export interface Ledger {
  /** Looks up everything that these runs name, and the limits that they draw on by tags and credentials, where asked for. */
  readonly learn: (candidates: ReadonlyArray<Candidate>, isLimited: boolean) => Effect.Effect<void, SqlError.SqlError>
  /** Adds limits. */
  readonly know: (limits: ReadonlyArray<UsedLimit>) => void
  /** The spent limit that a run draws on by its workflow or its tags; `null` where there is none. */
  readonly limitOf: (run: Pick<Candidate, "tags" | "workflow_id" | "workspace_id">) => UsedLimit | null
  /** The spent limit that a run draws on by an entry that it may be given; `null` where there is none. */
  readonly limitOfEntries: (candidate: Candidate) => UsedLimit | null
  readonly spentTags: LimitLedger.LimitLedger["spentTags"]
  readonly drawingOf: (candidate: Candidate, credentials: ReadonlyArray<Credential>) => Drawing
  /** Assigns credentials to a run; `null` when it has to wait. */
  readonly assign: (candidate: Candidate) => ReadonlyArray<Credential> | null
  /**
   * What a run has to wait for to be given its credentials: these, or else a limit that names them; `null` where they could
   * be assigned to it. Nothing is assigned.
   */
  readonly awaited: (candidate: Candidate) => Slots.Awaited | SpentLimit | null
  /** The name of the one entry that a run has to wait for; `null` where that is not all that it depends on. */
  readonly waitsFor: (candidate: Candidate) => string | null
  /**
   * Locks the limits and the assigned slots, and returns the runs whose assignment is still valid. Only once in a transaction: locks
   * that are taken in two steps have no order.
   */
  readonly confirm: (assigned: ReadonlyArray<Assigned>) => Effect.Effect<ReadonlyArray<Assigned>, SqlError.SqlError>
  /** What is taken of the minutes of the locked limits once these runs have started. */
  readonly taken: (started: ReadonlyArray<Assigned>) => ReturnType<LimitLedger.LimitLedger["taken"]>
}

interface EntryRow {
  readonly id: string
  readonly workspace_id: string
  readonly key_hash: string
  readonly runs_allowed: number | null
  readonly login_rule: Slots.Allowance["login"]
  readonly served: bigint
  readonly failed: boolean
}

/** A name of slots: the pair's, so that an entry that is removed and made again does not forget who holds the old one. */
const nameOf = ({ key_hash, workspace_id }: Pick<EntryRow, "key_hash" | "workspace_id">) =>
  `${workspace_id}:${key_hash}`

export const ledger = (sql: SqlClient.SqlClient, now: number): Ledger => {
  const located = new Map<string, Slots.Entry | undefined>()
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  const inUse: Slots.InUse = (name) => counts.get(name) ?? 0
  const limits = LimitLedger.make(now)
  let locked: ReadonlyArray<UsedLimit> = []

  const unlimited =
    (workspaceId: string): Slots.Find =>
    (pair) =>
      located.get(pairKey(workspaceId, pair))

  const limitOfEntry = ({ name, workspaceId }: Slots.Entry) =>
    limits.spent({ workspaceId, workflowId: "", tags: [], credentialIds: [ids.get(name) ?? ""] })

  const find =
    (workspaceId: string): Slots.Find =>
    (pair) => {
      const entry = unlimited(workspaceId)(pair)
      return entry === undefined || limitOfEntry(entry) === null ? entry : { ...entry, limited: true }
    }

  const drawingOf: Ledger["drawingOf"] = ({ tags, workflow_id, workspace_id }, credentials) => ({
    workspaceId: workspace_id,
    workflowId: workflow_id,
    tags,
    credentialIds: credentials.flatMap(({ slot }) => (slot === undefined ? [] : (ids.get(slot.entry) ?? [])))
  })

  /** The entries that each run may be given, by their ids. */
  const entriesOf = (candidate: Candidate) =>
    Runs.credentialsOf(candidate).flatMap(({ domain, ...credential }) =>
      Slots.members({ domain, ...credential }).flatMap(
        (permissionedUserId) => unlimited(candidate.workspace_id)({ permissionedUserId, domain }) ?? []
      )
    )

  const limitOfEntries = (candidate: Candidate) => {
    for (const entry of entriesOf(candidate)) {
      const limit = limitOfEntry(entry)
      if (limit !== null) return limit
    }
    return null
  }

  const learnLimits = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
    const drawn = new Map<string, { readonly tags: Set<string>; readonly entries: Set<string> }>()
    for (const candidate of candidates) {
      const { tags, workspace_id } = candidate
      const of = drawn.get(workspace_id) ?? { tags: new Set(), entries: new Set() }
      for (const tag of tags) of.tags.add(tag)
      for (const { name } of entriesOf(candidate)) of.entries.add(ids.get(name) ?? "")
      drawn.set(workspace_id, of)
    }
    const all = [...drawn].flatMap(([workspaceId, { entries, tags }]) =>
      entries.size + tags.size === 0 ? [] : [{ workspaceId, tags: [...tags], credentialIds: [...entries] }]
    )
    limits.know(yield* PgLimits.of(sql, all))
  })

  const take = (names: ReadonlyArray<string>) => {
    for (const name of names) counts.set(name, inUse(name) + 1)
  }

  return {
    know: limits.know,
    limitOf: ({ tags, workflow_id, workspace_id }) =>
      limits.spent({ workspaceId: workspace_id, workflowId: workflow_id, tags, credentialIds: [] }),
    limitOfEntries,
    spentTags: limits.spentTags,
    drawingOf,
    taken: (started) => {
      const after = LimitLedger.make(now)
      after.know(locked)
      for (const { drawing } of started) after.take(drawing)
      return after.taken()
    },
    learn: (candidates, isLimited) =>
      Effect.gen(function* () {
        const unknown = new Map<string, Located>()
        for (const candidate of candidates) {
          const { workspace_id } = candidate
          for (const credential of Runs.credentialsOf(candidate)) {
            for (const permissionedUserId of Slots.members(credential)) {
              const pair = { permissionedUserId, domain: credential.domain }
              const key = pairKey(workspace_id, pair)
              if (!located.has(key)) unknown.set(key, { workspaceId: workspace_id, pair })
            }
          }
        }
        const rows = yield* locate(sql, [...unknown.values()])
        const states = yield* statesOf(sql, rows.filter((row) => row !== undefined).map(toEntry))
        // Counts made before include slots that were given since.
        for (const [name, count] of states.counts) if (!counts.has(name)) counts.set(name, count)
        for (const [index, key] of [...unknown.keys()].entries()) {
          const row = rows[index]
          if (row === undefined) {
            located.set(key, undefined)
            continue
          }
          const entry = { ...toEntry(row), stopping: states.stopping.has(nameOf(row)) }
          ids.set(entry.name, row.id)
          located.set(key, entry)
        }
        if (isLimited) yield* learnLimits(candidates)
      }),

    assign: (candidate) => {
      const { not_before, workspace_id } = candidate
      const wanted = Runs.credentialsOf(candidate)
      const assigned = Slots.assign(wanted, find(workspace_id), inUse)
      const waited = now - not_before.getTime()
      take(assigned === null ? Slots.reserved(wanted, waited, find(workspace_id), inUse) : Slots.names(assigned))
      if (assigned !== null) limits.take(drawingOf(candidate, assigned))
      return assigned
    },

    awaited: (candidate) => {
      const wanted = Runs.credentialsOf(candidate)
      const busy = Slots.awaited(wanted, unlimited(candidate.workspace_id), inUse)
      if (busy !== null || Slots.assign(wanted, find(candidate.workspace_id), inUse) !== null) return busy
      const limit = limitOfEntries(candidate)
      return limit === null ? null : LimitLedger.spentLimit(limit, now)
    },
    waitsFor: (candidate) => {
      const [credential, ...others] = Runs.credentialsOf(candidate)
      const [permissionedUserId, ...members] = credential?.permissionedUserIds ?? []
      if (credential === undefined || permissionedUserId === undefined || others.length + members.length > 0)
        return null
      const entry = find(candidate.workspace_id)({ permissionedUserId, domain: credential.domain })
      return entry === undefined || entry.stopping ? null : entry.name
    },

    confirm: (assigned) =>
      Effect.gen(function* () {
        const drawn = new Set(assigned.flatMap(({ drawing }) => limits.of(drawing).map(({ limit }) => limit.id)))
        if (drawn.size > 0) locked = yield* PgLimits.lock(sql, [...drawn])
        const allowed = LimitLedger.make(now)
        allowed.know(locked)
        const starts = ({ drawing }: Assigned) => {
          if (allowed.spent(drawing) !== null) return false
          allowed.take(drawing)
          return true
        }
        const names = new Set(
          assigned.flatMap(({ credentials }) => credentials.flatMap(({ slot }) => slot?.entry ?? []))
        )
        if (names.size === 0) return assigned.filter(starts)
        const rows = yield* sql<EntryRow>`
          select ${columns(sql)} from vault_entries where ${sql.in(
            "id",
            [...names].flatMap((name) => ids.get(name) ?? [])
          )} order by id for no key update`
        const entries = new Map(rows.map((row) => [nameOf(row), toEntry(row)]))
        yield* lockShared(sql, [...entries.values()])
        const states = yield* statesOf(sql, [...entries.values()])
        const taken = new Map(states.counts)
        const left: Slots.InUse = (name) => taken.get(name) ?? 0
        return assigned.filter((one) => {
          const { credentials } = one
          const isFree = credentials.every(({ permissionedUserIds, slot }) => {
            if (slot === undefined) return true
            const entry = entries.get(slot.entry)
            const stops = permissionedUserIds.length === 1 && states.stopping.has(slot.entry)
            return entry !== undefined && !stops && Slots.loginOf(entry) === slot.login && Slots.isFree(entry, left)
          })
          const stays = isFree && starts(one)
          if (stays) for (const name of Slots.names(credentials)) taken.set(name, left(name) + 1)
          return stays
        })
      })
  }
}

/** Stores which entries were used last. The caller has locked them. */
export const serve = (sql: SqlClient.SqlClient, credentials: ReadonlyArray<Credential>, turn: bigint) =>
  Effect.forEach(
    new Set(credentials.flatMap(({ slot }) => slot?.entry ?? [])),
    (name) => sql`update vault_entries set served = ${turn} where ${named(sql, name)}`,
    { discard: true }
  )

/**
 * Those of these entries that have no slot to give, each with the names of which one has to be given back for that.
 * Neither the entries nor the runs that hold them can change until the transaction ends; one that is being changed is
 * taken for free.
 */
export const busy = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, all: ReadonlySet<string>) {
  const wanted = [...all].map((name) => {
    const [workspace_id, key_hash] = name.split(":")
    return { workspace_id, key_hash }
  })
  const rows = yield* sql<EntryRow>`
    select ${columns(sql)} from vault_entries where (workspace_id, key_hash) in (
      select workspace_id, key_hash from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (
        workspace_id uuid, key_hash text))
    order by id for share skip locked`
  const entries = rows.map(toEntry)
  const names = entries.map((entry) => [entry.name, Slots.loginOf(entry)].filter((name) => name !== null))
  const holders = yield* sql<{ readonly holds: ReadonlyArray<string> }>`
    select holds from runs where status = 'execution.start' and holds && ${arrayOf(names.flat())}::text[]
    order by id for share skip locked`
  const counts = new Map<string, number>()
  for (const name of holders.flatMap(({ holds }) => holds)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    entries.flatMap((entry, index) =>
      Slots.isFree(entry, (name) => counts.get(name) ?? 0) ? [] : [[entry.name, names[index] ?? []] as const]
    )
  )
})

/** Makes claims examine the workflows again whose runs wait for one of these names, after its release. */
export const giveBack = (
  sql: SqlClient.SqlClient,
  names: ReadonlyArray<string>
): Effect.Effect<void, SqlError.SqlError> =>
  names.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        update gates set ready_at = 'epoch', blocked_on = null, ${ReleasedRuns.lookAgain(sql)} where workflow_id in (
          select workflow_id from gates where blocked_on && ${arrayOf(names)}::text[]
          order by workflow_id for no key update)`)

/** Names are made of letters, digits, dashes and colons, so that the text of an array needs no quotes. */
const arrayOf = (names: ReadonlyArray<string>): string => `{${names.join(",")}}`

/** The names of the entries that pairs mean, in their order. */
export const entryNames = (sql: SqlClient.SqlClient, workspaceId: string, pairs: ReadonlyArray<Pair>) =>
  Effect.map(
    locate(
      sql,
      pairs.map((pair) => ({ workspaceId, pair }))
    ),
    (rows) => rows.map((row) => (row === undefined ? null : nameOf(row)))
  )

/** The condition of the entry that has slots of this name now. */
export const named = (sql: SqlClient.SqlClient, name: string) => {
  const [workspaceId = "", hash = ""] = name.split(":")
  return sql`workspace_id = ${workspaceId} and key_hash = ${hash}`
}

interface Located {
  readonly workspaceId: string
  readonly pair: Pair
}

const pairKey = (workspaceId: string, { domain, permissionedUserId }: Pair): string =>
  JSON.stringify([workspaceId, permissionedUserId, domain])

const columns = (sql: SqlClient.SqlClient) =>
  sql.unsafe(
    `id, workspace_id, key_hash, runs_allowed, login_rule, served,
      coalesce(login_failed_at >= changed_at, false) as failed`
  )

/** The entries that pairs mean, in their order: written alike, or else the first one of the user on the same host. */
const locate = (sql: SqlClient.SqlClient, all: ReadonlyArray<Located>) =>
  Effect.gen(function* () {
    if (all.length === 0) return []
    const wanted = all.map(({ pair, workspaceId }, n) => ({
      n,
      workspace_id: workspaceId,
      key_hash: SlotColumns.keyHash(pair),
      site_hash: SlotColumns.siteHash(pair)
    }))
    const rows = yield* sql<EntryRow & { readonly n: number }>`
      select distinct on (n) n, entry.* from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (
        n integer, workspace_id uuid, key_hash text, site_hash text)
      cross join lateral (
        (select ${columns(sql)}, 0 as rank from vault_entries
          where workspace_id = wanted.workspace_id and key_hash = wanted.key_hash)
        union all
        (select ${columns(sql)}, 1 as rank from vault_entries
          where workspace_id = wanted.workspace_id and site_hash = wanted.site_hash order by position limit 1)
      ) as entry order by n, rank`
    const found = new Map(rows.map((row) => [row.n, row]))
    return all.map((_, n): EntryRow | undefined => found.get(n))
  })

/** How many runs hold what belongs to these entries, and which of them have runs that are about to be stopped. */
const statesOf = (sql: SqlClient.SqlClient, entries: ReadonlyArray<Slots.Entry>) =>
  Effect.gen(function* () {
    const names = [...new Set(entries.flatMap((entry) => [entry.name, Slots.loginOf(entry) ?? []].flat()))]
    if (names.length === 0) return { counts: new Map<string, number>(), stopping: new Set<string>() }
    const list = arrayOf(names)
    const rows = yield* sql<{ readonly name: string; readonly count: number | null }>`
      select name, count(*)::integer as count from runs cross join lateral unnest(holds) as name
      where status = 'execution.start' and holds && ${list}::text[] group by name
      union all
      select distinct entry, null::integer from login_failures where entry = any (${list}::text[])`
    const counts = new Map(names.map((name) => [name, 0]))
    for (const { count, name } of rows) if (count !== null && counts.has(name)) counts.set(name, count)
    return { counts, stopping: new Set(rows.filter(({ count }) => count === null).map(({ name }) => name)) }
  })

/** Locks the mailboxes and numbers that codes of these entries arrive at. They have no row. */
const lockShared = (sql: SqlClient.SqlClient, entries: ReadonlyArray<Slots.Entry>) => {
  const shared = entries.flatMap((entry) => Slots.sharedLoginOf(entry) ?? [])
  return shared.length === 0
    ? Effect.void
    : sql`
        select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(name, 0) as key
          from json_array_elements_text(${JSON.stringify(shared)}::json) as name order by key offset 0
        ) as names`
}

const toEntry = (row: EntryRow): Slots.Entry => ({
  name: nameOf(row),
  workspaceId: WorkspaceId.make(row.workspace_id),
  allowance: { runs: row.runs_allowed, login: row.login_rule },
  served: Number(row.served),
  failed: row.failed,
  stopping: false,
  limited: false
})
