/**
 * `sluice keys`: the API keys of a workspace, and its encryption key.
 */
import { Clock, Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { EncryptionKeys } from "../../core/vault/EncryptionKeys.ts"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { Role, UserId, type Workspace } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as Assembly from "./Assembly.ts"
import * as Settings from "./Settings.ts"

/** Raised when a command cannot tell which workspace is meant, or finds no such key. */
export class CannotFind extends Schema.TaggedError<CannotFind>()("CannotFind", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Id of the workspace; not needed where there is only one"),
  Flag.optional
)

const chosen = Effect.fnUntraced(function* (id: Option.Option<string>) {
  const all = yield* (yield* WorkspaceStore).list
  const found = Option.match(id, {
    onNone: () => (all.length === 1 ? all[0] : undefined),
    onSome: (wanted) => all.find((one) => one.id === wanted)
  })
  if (found !== undefined) return found
  const known = all.map((one: Workspace) => `${one.id} (${one.name})`).join(", ")
  return yield* new CannotFind({
    reason: `Name a workspace with --workspace: expected one of ${known || "none, as there is none yet"}`
  })
})

const create = Command.make(
  "create",
  {
    ...Settings.storage,
    workspace,
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("What the key may do"),
      Flag.withDefault("Member")
    )
  },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const identifiers = yield* Identifiers
      const keys = yield* Keys
      const { id: workspaceId } = yield* chosen(settings.workspace)
      const key = yield* keys.make
      const id = yield* identifiers.uuid
      yield* (yield* WorkspaceStore).addKey({
        id,
        hash: yield* keys.hash(key),
        workspaceId,
        userId: UserId.make(yield* identifiers.uuid),
        role: settings.role as Role,
        createdAt: yield* Clock.currentTimeMillis,
        revokedAt: null
      })
      yield* Console.log(
        `${Redacted.value(key)}\n${settings.role} key ${id} of workspace ${workspaceId}; it is shown this once`
      )
    }).pipe(Effect.provide(Assembly.layerStorage(settings)))
  })
).pipe(Command.withDescription("Make a key, and show it once"))

const list = Command.make(
  "list",
  { ...Settings.storage, workspace },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      for (const key of yield* (yield* WorkspaceStore).listKeys(id)) {
        const state = key.revokedAt === null ? "" : `  revoked ${new Date(key.revokedAt).toISOString()}`
        yield* Console.log(`${key.id}  ${key.role.padEnd(6)}  ${new Date(key.createdAt).toISOString()}${state}`)
      }
    }).pipe(Effect.provide(Assembly.layerStorage(settings)))
  })
).pipe(Command.withDescription("List the keys of a workspace; the keys themselves are not kept"))

const revoke = Command.make(
  "revoke",
  { ...Settings.storage, workspace, key: Argument.String("key-id") },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      const revoked = yield* (yield* WorkspaceStore).revokeKey(id, settings.key, yield* Clock.currentTimeMillis)
      if (!revoked)
        return yield* new CannotFind({ reason: `No key ${settings.key} of workspace ${id} that is not revoked yet` })
      yield* Console.log(`Revoked key ${settings.key}`)
    }).pipe(Effect.provide(Assembly.layerStorage(settings)))
  })
).pipe(Command.withDescription("Revoke a key by its id"))

const encryption = Command.make(
  "encryption",
  { ...Settings.storage, workspace },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      yield* Console.log(Redacted.value(yield* (yield* EncryptionKeys).of(id)))
    }).pipe(
      Effect.provide(Assembly.layerEncryption(settings).pipe(Layer.provideMerge(Assembly.layerStorage(settings))))
    )
  })
).pipe(Command.withDescription("Show the key that the credentials of a workspace are sealed with"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, list and revoke API keys, and show the encryption key"),
  Command.withSubcommands([create, list, revoke, encryption])
)
