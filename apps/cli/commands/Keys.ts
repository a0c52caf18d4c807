/**
 * `sluice keys`: the API keys of a workspace, and its encryption key.
 */
import { Clock, Console, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { ApiKeys } from "../../../core/workspace/ApiKeys.ts"
import { Role } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Assembly from "../layers/Assembly.ts"
import * as Settings from "../Settings.ts"
import { rotate } from "./Rotate.ts"
import { CannotFind, chosen, workspace } from "./WorkspaceFlag.ts"

const create = Command.make(
  "create",
  {
    ...Settings.storage,
    workspace,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key in lists"), Flag.optional),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("What the key may do"),
      Flag.withDefault("Member")
    )
  },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* chosen(settings.workspace)
      const { key, stored } = yield* (yield* ApiKeys).make(
        { workspaceId, role: "Owner" },
        {
          // The flag takes the names of roles only.
          role: settings.role as Role,
          name: Option.getOrNull(settings.name)
        }
      )
      yield* Console.log(
        `${Redacted.value(key)}\n${stored.role} key ${stored.id} of workspace ${workspaceId}; it is shown only once`
      )
    }).pipe(Effect.provide(ApiKeys.layer.pipe(Layer.provideMerge(Assembly.layerStorage(settings)))))
  })
).pipe(Command.withDescription("Create a key, and show it once"))

const list = Command.make(
  "list",
  { ...Settings.storage, workspace },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      for (const key of yield* (yield* WorkspaceStore).listKeys(id)) {
        const state = key.revokedAt === null ? "" : `  revoked ${new Date(key.revokedAt).toISOString()}`
        yield* Console.log(
          `${key.id}  ${key.role.padEnd(6)}  ${new Date(key.createdAt).toISOString()}  ${key.name ?? ""}${state}`
        )
      }
    }).pipe(Effect.provide(Assembly.layerStorage(settings)))
  })
).pipe(Command.withDescription("List the keys of a workspace; their secret values are not stored"))

const revoke = Command.make(
  "revoke",
  { ...Settings.storage, workspace, key: Argument.String("key-id") },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      const revoked = yield* (yield* WorkspaceStore).revokeKey(id, settings.key, yield* Clock.currentTimeMillis)
      if (Option.isNone(revoked))
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
  Command.withDescription("Create, list and revoke API keys, and show or rotate encryption keys"),
  Command.withSubcommands([create, list, revoke, encryption, rotate])
)
