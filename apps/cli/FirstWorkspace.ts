/**
 * What a service makes for itself when it starts on empty data: a workspace, and a key of its owner.
 */
import { Clock, Effect, Option, type Redacted } from "effect"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { defaultInputRequiredTimeoutSeconds, UserId, WorkspaceId } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"

/** Makes the first workspace if there is none, and answers the key of its owner then: the only time that it is known. */
export const make = Effect.fn("FirstWorkspace.make")(function* (
  bootstrapKey: Option.Option<Redacted.Redacted<string>>
) {
  const workspaces = yield* WorkspaceStore
  const identifiers = yield* Identifiers
  const keys = yield* Keys
  if ((yield* workspaces.list).length > 0) return Option.none()
  const createdAt = yield* Clock.currentTimeMillis
  const workspaceId = WorkspaceId.make(yield* identifiers.uuid)
  const key = Option.isSome(bootstrapKey) ? bootstrapKey.value : yield* keys.make
  yield* workspaces.create({
    id: workspaceId,
    name: "First workspace",
    createdAt,
    waitingTtlMillis: null,
    inputRequiredTimeoutSeconds: defaultInputRequiredTimeoutSeconds
  })
  yield* workspaces.addKey({
    id: yield* identifiers.uuid,
    hash: yield* keys.hash(key),
    name: "First key",
    workspaceId,
    userId: UserId.make(yield* identifiers.uuid),
    role: "Owner",
    createdAt,
    revokedAt: null
  })
  return Option.some(key)
})
