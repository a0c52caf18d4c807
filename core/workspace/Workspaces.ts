/**
 * The workspace of a caller: what it is, who works in it, and how it is set.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit } from "./audit/Audit.ts"
import type { UserId, WorkspaceId } from "./Ids.ts"
import * as Permissions from "./Permissions.ts"
import { type Caller, Role, type RoleForbids, type Workspace } from "./Workspace.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"

/** A user who has keys of the workspace that are not revoked. Of several roles it is the most able one. */
export interface Member {
  readonly userId: UserId
  readonly role: Role
}

/** The settings of an Owner. */
export type Settings = Pick<
  Workspace,
  "name" | "waitingTtlMillis" | "inputRequiredTimeoutSeconds" | "signedUrlTtlSeconds"
>

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

    /** The members of the caller's workspace, in the order of their first keys. */
    readonly members: (caller: Caller) => Effect.Effect<ReadonlyArray<Member>, StoreUnavailable>

    /**
     * Changes the given settings. How long runs may wait is fixed when they are submitted, and how long an address works
     * when it is signed: earlier ones keep it.
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

      return Workspaces.of({
        get: Effect.fn("Workspaces.get")(function* (caller, id) {
          const workspaceId = yield* own(caller, id)
          return yield* store.get(workspaceId).pipe(existing(workspaceId))
        }),
        members: Effect.fn("Workspaces.members")(function* (caller) {
          const roles = new Map<UserId, Role>()
          for (const { revokedAt, role, userId } of yield* store.listKeys(caller.workspaceId)) {
            if (revokedAt === null) roles.set(userId, stronger(role, roles.get(userId) ?? "Viewer"))
          }
          return [...roles].map(([userId, role]) => ({ userId, role }))
        }),
        set: Effect.fn("Workspaces.set")(function* (caller, id, settings) {
          const workspaceId = yield* own(caller, id)
          let former: Workspace | null = null
          const change = store.change(workspaceId, (before) => {
            former = before
            return { ...before, ...settings }
          })
          const changed = yield* audit.recording(caller, change, (after) =>
            former === null || Option.isNone(after) ? [] : settingsEntry(former, after.value)
          )
          return yield* existing(workspaceId)(Effect.succeed(changed))
        })
      })
    }).pipe(Permissions.checked<Workspaces["Service"]>({ get: "read", members: "read", set: "manage" }))
  )
}

/** The audit entry of a change of settings; none where no setting changes. */
const settingsEntry = (before: Workspace, after: Workspace) => {
  const [from, to] = [audited(before), audited(after)]
  return JSON.stringify(from) === JSON.stringify(to)
    ? []
    : [{ action: "settings.change", resourceId: after.id, resourceName: after.name, before: from, after: to }]
}

const audited = (workspace: Workspace) => ({
  name: workspace.name,
  waiting_ttl_seconds: workspace.waitingTtlMillis === null ? null : workspace.waitingTtlMillis / 1_000,
  input_required_timeout_seconds: workspace.inputRequiredTimeoutSeconds,
  signed_url_ttl_seconds: workspace.signedUrlTtlSeconds
})

const stronger = (one: Role, other: Role): Role =>
  Role.literals.indexOf(one) > Role.literals.indexOf(other) ? one : other
