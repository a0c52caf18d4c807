/** The service for workspaces: their members and settings, and the creation of new ones. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "./audit/Audit.ts"
import { Identifiers } from "./Identifiers.ts"
import { UserId, WorkspaceId } from "./Ids.ts"
import { Keys } from "./Keys.ts"
import * as Permissions from "./Permissions.ts"
import * as RetentionDays from "./retention/RetentionDays.ts"
import {
  type Caller,
  defaultInputRequiredTimeoutSeconds,
  permits,
  Role,
  type RoleForbids,
  signedUrlTtlSeconds,
  type Workspace
} from "./Workspace.ts"
import { type StoredKey, WorkspaceStore } from "./WorkspaceStore.ts"

/** A user with at least one key that is not revoked. With keys of several roles, the highest one counts. */
export interface Member {
  readonly userId: UserId
  readonly role: Role
}

/**
 * Settings that an Owner may change. Only the given retention days change; `null` resets a kind to the installation's
 * value.
 */
export type Settings = Pick<
  Workspace,
  "name" | "waitingTtlMillis" | "inputRequiredTimeoutSeconds" | "signedUrlTtlSeconds"
> & { readonly retentionDays: Partial<RetentionDays.Days> }

/** A new workspace with the key of its Owner, which is returned only here. */
export interface MadeWorkspace {
  readonly workspace: Workspace
  readonly owner: StoredKey
  readonly key: Redacted.Redacted<string>
}

/** Raised when a caller other than an Owner of the workspace that was made with the installation makes another one. */
export class NotInstallationOwner extends Schema.TaggedError<NotInstallationOwner>()("NotInstallationOwner", {}) {
  override get message() {
    return "Cannot make a workspace with this key: a key with the role Owner of the first workspace of the installation is needed, or the command sluice workspaces create"
  }
}

/** Raised for a workspace that the caller does not belong to, or that does not exist. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  workspaceId: Schema.String
}) {
  override get message() {
    return `Workspace "${this.workspaceId}" not found: the key belongs to another one`
  }
}

export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** The workspace with this id, which must be the caller's own. */
    readonly get: (caller: Caller, id: string) => Effect.Effect<Workspace, WorkspaceNotFound | StoreUnavailable>

    /**
     * Whether the caller owns the installation: it has all abilities in the workspace that was made with it. Only such a caller
     * sees what concerns all workspaces.
     */
    readonly ownsInstallation: (caller: Caller) => Effect.Effect<boolean, StoreUnavailable>

    /** Makes a workspace with a first key, of the role Owner. Only Owners of the first workspace of the installation may. */
    readonly create: (
      caller: Caller,
      name: string
    ) => Effect.Effect<MadeWorkspace, NotInstallationOwner | RoleForbids | StoreUnavailable>

    /** The members of the caller's workspace, in the order of their first keys. */
    readonly members: (caller: Caller) => Effect.Effect<ReadonlyArray<Member>, StoreUnavailable>

    /**
     * Changes the given settings. Runs that are already submitted and addresses that are already signed keep the former
     * limits.
     */
    readonly set: (
      caller: Caller,
      id: string,
      settings: Partial<Settings>
    ) => Effect.Effect<Workspace, WorkspaceNotFound | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/workspace/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const audit = yield* Audit

      const own = (caller: Caller, id: string) =>
        id.toLowerCase() === caller.workspaceId.toLowerCase()
          ? Effect.succeed(caller.workspaceId)
          : Effect.fail(new WorkspaceNotFound({ workspaceId: id }))

      const existing = (id: WorkspaceId) =>
        Effect.flatMap((found: Option.Option<Workspace>) =>
          Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new WorkspaceNotFound({ workspaceId: id }))
        )

      const made = yield* making

      const isFirst = ({ workspaceId }: Caller) =>
        Effect.map(store.get(workspaceId), (own) => Option.isSome(own) && own.value.founding === true)

      return Workspaces.of({
        ownsInstallation: Effect.fn("Workspaces.ownsInstallation")((caller) =>
          permits(caller, "manage") ? isFirst(caller) : Effect.succeed(false)
        ),
        create: Effect.fn("Workspaces.create")(function* (caller, name) {
          if (!(yield* isFirst(caller))) return yield* new NotInstallationOwner()
          return yield* made(caller, name)
        }),
        get: Effect.fn("Workspaces.get")(function* (caller, id) {
          const workspaceId = yield* own(caller, id)
          return yield* store.get(workspaceId).pipe(existing(workspaceId))
        }),
        members: Effect.fn("Workspaces.members")(function* (caller) {
          const roles = new Map<UserId, Role>()
          const now = yield* Clock.currentTimeMillis
          for (const { expiresAt, revokedAt, role, userId } of yield* store.listKeys(caller.workspaceId)) {
            if (revokedAt === null && (expiresAt ?? Infinity) > now)
              roles.set(userId, stronger(role, roles.get(userId) ?? "Viewer"))
          }
          return [...roles].map(([userId, role]) => ({ userId, role }))
        }),
        set: Effect.fn("Workspaces.set")(function* (caller, id, { retentionDays, ...settings }) {
          const workspaceId = yield* own(caller, id)
          let former: Workspace | null = null
          const change = store.change(workspaceId, (before) => {
            former = before
            if (retentionDays === undefined) return { ...before, ...settings }
            const days = RetentionDays.changed(before.retentionDays ?? {}, retentionDays)
            return { ...before, ...settings, retentionDays: days }
          })
          const changed = yield* audit.recording(caller, change, (after) =>
            former === null || Option.isNone(after) ? [] : settingsEntry(former, after.value)
          )
          return yield* existing(workspaceId)(Effect.succeed(changed))
        })
      })
    }).pipe(
      Permissions.checked<Workspaces["Service"]>({
        ownsInstallation: "read",
        create: "manage",
        get: "read",
        members: "read",
        set: "manage"
      })
    )
  )
}

/**
 * Makes workspaces, for permitted callers and for operators at the command line. The audit entry is stored in the new
 * workspace, and also in that of the caller, if any.
 */
export const making = Effect.gen(function* () {
  const [store, keys, identifiers, audit] = [yield* WorkspaceStore, yield* Keys, yield* Identifiers, yield* Audit]
  return Effect.fn("Workspaces.making")(function* (caller: Caller | null, name: string) {
    const createdAt = yield* Clock.currentTimeMillis
    const workspace: Workspace = {
      id: WorkspaceId.make(yield* identifiers.uuid),
      name,
      createdAt,
      waitingTtlMillis: null,
      inputRequiredTimeoutSeconds: defaultInputRequiredTimeoutSeconds,
      signedUrlTtlSeconds: signedUrlTtlSeconds.maximum
    }
    const key = yield* keys.make
    const owner: StoredKey = {
      id: yield* identifiers.uuid,
      hash: yield* keys.hash(key),
      name: "First key",
      workspaceId: workspace.id,
      userId: UserId.make(yield* identifiers.uuid),
      role: "Owner",
      createdAt,
      revokedAt: null
    }
    const entry: Draft = {
      action: "workspace.create",
      resourceId: workspace.id,
      resourceName: name,
      before: null,
      after: { ...audited(workspace), owner_user_id: owner.userId, api_key_id: owner.id }
    }
    const make = Effect.gen(function* () {
      yield* store.create(workspace)
      yield* store.addKey(owner)
      if (caller !== null) yield* audit.record(caller, entry)
    })
    const author = { ...(caller === null ? {} : { userId: caller.userId }), workspaceId: workspace.id }
    yield* audit.recording(author, make, () => [entry])
    return { workspace, owner, key } satisfies MadeWorkspace
  })
})

/** The audit entry of a change of settings; none where no setting changes. */
const settingsEntry = (before: Workspace, after: Workspace): ReadonlyArray<Draft> => {
  const [from, to] = [audited(before), audited(after)]
  return JSON.stringify(from) === JSON.stringify(to)
    ? []
    : [{ action: "settings.change", resourceId: after.id, resourceName: after.name, before: from, after: to }]
}

const audited = (workspace: Workspace) => ({
  name: workspace.name,
  waiting_ttl_seconds: workspace.waitingTtlMillis === null ? null : workspace.waitingTtlMillis / 1_000,
  input_required_timeout_seconds: workspace.inputRequiredTimeoutSeconds,
  signed_url_ttl_seconds: workspace.signedUrlTtlSeconds,
  retention_days: RetentionDays.own(workspace.retentionDays ?? {})
})

const stronger = (one: Role, other: Role): Role =>
  Role.literals.indexOf(one) > Role.literals.indexOf(other) ? one : other
